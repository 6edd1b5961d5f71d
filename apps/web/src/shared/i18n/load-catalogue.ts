import type { LoadCatalogue } from "./texts.ts";

/** Every catalogue file as a chunk of its own: a page pays for one language, and for the areas it shows. */
const files = import.meta.glob<Readonly<Record<string, string>>>("./catalogues/*/*.json", { import: "default" });

export const loadCatalogue: LoadCatalogue = async (language, area) => {
  // Readex Pro only where Arabic is written.
  if (language === "ar") await import("./arabic-font.ts");
  const file = files[`./catalogues/${language}/${area}.json`];
  if (file === undefined) throw new Error(`There is no catalogue "${area}" in "${language}"`);
  return file();
};
