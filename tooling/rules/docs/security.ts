/**
 * How many requirements of levels 1 and 2 each section of OWASP ASVS 5.0 has; they are the first of their section. Source: OWASP/ASVS, 5.0/en.
 * Of chapter 10 (OAuth and OIDC) only what a client must do: Longarm is no server of either.
 */
const REQUIREMENTS: Readonly<Record<number, Readonly<Record<number, number>>>> = {
  1: { 1: 2, 2: 9, 3: 11, 4: 3, 5: 2 },
  2: { 1: 3, 2: 3, 3: 4, 4: 1 },
  3: { 2: 2, 3: 4, 4: 6, 5: 5, 7: 2 },
  4: { 1: 3, 2: 1, 3: 2, 4: 4 },
  5: { 1: 1, 2: 3, 3: 2, 4: 3 },
  6: { 1: 3, 2: 12, 3: 4, 4: 4, 5: 5, 6: 3, 8: 4 },
  7: { 1: 3, 2: 4, 3: 2, 4: 5, 5: 2, 6: 2 },
  8: { 1: 2, 2: 3, 3: 1, 4: 1 },
  9: { 1: 3, 2: 4 },
  10: { 1: 2, 2: 2, 5: 5 },
  11: { 1: 2, 2: 3, 3: 3, 4: 4, 5: 1, 6: 1 },
  12: { 1: 3, 2: 2, 3: 4 },
  13: { 1: 1, 2: 5, 3: 2, 4: 5 },
  14: { 1: 2, 2: 4, 3: 3 },
  15: { 1: 3, 2: 3, 3: 7 },
  16: { 1: 1, 2: 5, 3: 4, 4: 3, 5: 3 },
  17: { 1: 1, 2: 4, 3: 2 },
};

export const requirements: readonly string[] = Object.entries(REQUIREMENTS).flatMap(([chapter, sections]) =>
  Object.entries(sections).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${chapter}.${section}.${index + 1}`),
  ),
);

/** The requirements that a page's tables answer: the ids in the first column. */
export function answeredIn(page: string): string[] {
  return [...page.matchAll(/^\| (\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)*) \|/gm)].flatMap((row) =>
    (row[1] ?? "").split(", "),
  );
}

export type NamedTest = { readonly file: string; readonly title: string };

/** The tests that a page names as `file` "title": the end of the file's path, without `.test.ts`, and words of the test's title. */
export function testsNamedIn(page: string): NamedTest[] {
  return [...page.matchAll(/`([\w/-]+)` "([^"]+)"/g)].map(([, file = "", title = ""]) => ({ file, title }));
}

/** The test files whose paths end with a name of the page. */
export function filesNamed(name: string, paths: readonly string[]): string[] {
  return paths.filter((path) => `/${path}`.endsWith(`/${name}.test.ts`));
}
