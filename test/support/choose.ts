import type { Locator, Page } from 'playwright-core';

/** Selects an option by its value or its label. Waits until the popups are loaded: before that it is a `<select>`. */
export async function choose(select: Locator, option: string): Promise<void> {
  const options = await openOptions(select);
  const byValue = options.and(select.page().locator(`[data-value=${JSON.stringify(option)}]`));
  const byLabel = options.filter({ has: select.page().getByText(option, { exact: true }) });
  await byValue.or(byLabel).first().click();
  await options.first().waitFor({ state: 'detached' });
}

/** Opens a select and returns its options. Escape closes it. */
export async function openOptions(select: Locator): Promise<Locator> {
  const page = select.page();
  await select.and(page.getByRole('combobox')).and(page.locator('button')).click();
  const options = page.getByRole('listbox').getByRole('option');
  await options.first().waitFor();
  return options;
}

/** Adds a filter that a list shows only on request, and returns its field. */
export async function addFilter(page: Page, label: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('menuitem', { name: label, exact: true }).click();
  return page.getByLabel(label, { exact: true });
}
