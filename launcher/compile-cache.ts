import { fileURLToPath } from "node:url";

/** Where Node keeps what it has compiled: a start then takes half of the processor time. A folder that cannot be written is no harm. */
export const COMPILE_CACHE = fileURLToPath(new URL("../.cache/compile", import.meta.url));
