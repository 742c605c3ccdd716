import { COMES_BACK, DIALECTS, NEEDS } from '../src/model/dialects.ts';
import { allCases } from '../test/support/dialects/cases.ts';

/** The rows of the table of providers: the rules of each one, and the files of the corpus about it. */
export function providerRows(): string[][] {
  const cases = allCases();
  const names = [...new Set(cases.map(({ provider }) => provider))].sort((a, b) => a.localeCompare(b, 'en'));
  return names.map((name) => {
    const own = cases.filter(({ provider }) => provider === name);
    const { needs, comesBack } = DIALECTS[name] ?? { needs: [], comesBack: [] };
    const model = own.some(({ protocol }) => protocol === 'chat') ? '`openai-compatible:`' : '`anthropic:`';
    const limits = own.flatMap(({ limit }) => limit ?? []);
    return [
      name,
      name === 'OpenAI' ? '`openai:`' : model,
      needs.map((need) => NEEDS[need]).join('; '),
      comesBack.map((part) => COMES_BACK[part]).join('; '),
      String(own.length),
      limits.join(' '),
    ];
  });
}
