/** The ID of the page's `<main>`. */
export const MAIN_ID = 'main';

/** The first element of a page: keyboard users reach the content without passing the navigation. */
export function SkipLink() {
  return (
    <a
      href={`#${MAIN_ID}`}
      onClick={(event) => {
        // The address stays as it is, because it may hold a token after the #.
        event.preventDefault();
        document.getElementById(MAIN_ID)?.focus();
      }}
      className="fixed top-2 start-2 z-50 -translate-y-16 rounded-lg bg-accent px-4 py-2 font-medium text-on-accent focus:translate-y-0"
    >
      Skip to content
    </a>
  );
}
