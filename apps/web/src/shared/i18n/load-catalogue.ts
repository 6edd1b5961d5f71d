import type { LoadCatalogue } from "@longarm/ui/i18n/texts.ts";

/**
 * Every catalogue file of the casino as a chunk of its own: a page pays for one language, and for the areas it shows. Those of the
 * template, and of pages that are opened seldom, are listed apart, for each file here is named in every first load.
 */
const files = import.meta.glob<Readonly<Record<string, string>>>(
  [
    "./catalogues/*/{app,auth,claims,code,connection,gates,lobby}.json",
    "./catalogues/*/{lock,logType,play,reconnect,shell,wallet}.json",
  ],
  { import: "default" },
);

export const loadCatalogue: LoadCatalogue = async (language, area) => {
  // Readex Pro only where Arabic is written.
  if (language === "ar") await import("@longarm/ui/fonts/readex.css");
  const name = `./catalogues/${language}/${area}.json`;
  const file = files[name] ?? (await import("./template-catalogues.ts")).templateFiles[name];
  if (file === undefined) throw new Error(`There is no catalogue "${area}" in "${language}"`);
  return file();
};
