import { expect, test } from "vitest";

const files = import.meta.glob<Record<string, string>>("./catalogues/*/*.json", { import: "default", eager: true });
const names = [...new Set(Object.keys(files).map((path) => path.split("/").at(-1) ?? ""))];
const of = (language: string, name: string) => files[`./catalogues/${language}/${name}`] ?? {};
const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
/** Arabic says "one", "two" and "none" without a figure. */
const isPlural = (key: string) => /_(?:zero|one|two|few|many)$/.test(key);

test.each(names)("%s has the same keys in all three languages, none of them empty, with the same places", (name) => {
  const turkish = of("tr", name);
  for (const language of ["en", "ar"]) {
    const other = of(language, name);
    expect(Object.keys(other).toSorted(), language).toEqual(Object.keys(turkish).toSorted());
    for (const [key, text] of Object.entries(turkish)) {
      expect(other[key]?.trim(), `${language} ${key}`).toBeTruthy();
      if (!isPlural(key)) expect(places(other[key] ?? ""), `${language} ${key}`).toEqual(places(text));
    }
  }
});
