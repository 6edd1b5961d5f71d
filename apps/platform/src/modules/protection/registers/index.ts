export type { AskRegister, RegisterAnswer, Registers, RegistersParts } from "./keeper.ts";
export { createRegisters, isInRegister, registerProblem, silentRegisters, staleRegistersOf } from "./keeper.ts";
export type { SpelpausConfig } from "./spelpaus.ts";
export { spelpaus } from "./spelpaus.ts";
