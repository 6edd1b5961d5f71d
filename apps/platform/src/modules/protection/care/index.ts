export { createCareKeeper, figuresOfAll } from "./keeper.ts";
export type { Figures } from "./measures.ts";
export { signsIn } from "./measures.ts";
export type { CareTables } from "./notes.ts";
export { declaredNow, declareMeans, noteRefusal } from "./notes.ts";
export { createMeans } from "./player-routes.ts";
