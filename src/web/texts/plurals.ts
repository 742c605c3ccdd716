/** The forms of a text that depends on a number. Languages without further forms need only these. */
interface Forms {
  readonly one: string;
  readonly other: string;
}

/** Chooses the form for a number by the rules of the language. */
export function pluralsOf(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, { one, other }) => (rules.select(count) === 'one' ? one : other);
}
