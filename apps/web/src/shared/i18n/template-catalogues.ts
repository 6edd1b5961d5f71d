/** The catalogue files of the template and of pages that are opened seldom: all that load-catalogue.ts does not list. */
export const templateFiles = import.meta.glob<Readonly<Record<string, string>>>(
  [
    "./catalogues/*/*.json",
    "!./catalogues/*/{app,auth,claims,code,connection,gates,lobby}.json",
    "!./catalogues/*/{lock,logType,play,reconnect,shell,wallet}.json",
  ],
  { import: "default" },
);
