import { parseArgs } from "node:util";
import type { Model } from "./machine/options.ts";
import { DENOMINATIONS, MODEL } from "./machine/options.ts";

/** What `npm run cabinet -- …` understands. */
export type Options = {
  readonly folder: string;
  readonly host: string;
  /** Port numbers; 0 takes a free one. */
  readonly sas: number;
  readonly buttons: number;
  readonly control: number;
  /** Null: no screen. */
  readonly screen: number | null;
  readonly pty: boolean;
  readonly model: Model;
  readonly wakeup: "required" | "ignored";
  readonly gapMsMax: number;
  readonly timeCode: boolean;
};

/** The command line is wrong: one sentence that says what to do. */
export class OptionProblem extends Error {
  override readonly name = "OptionProblem";
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;
const BRANDS = ["nar", "kuzey", "pera", "mercan"];

/** Reads the command line. @throws OptionProblem. */
export function readOptions(args: readonly string[]): Options | "help" {
  const given = parse(args);
  if (given.help) return "help";
  const number = (name: keyof typeof given, min: number, max: number, fallback: number): number => {
    const text = given[name];
    if (text === undefined) return fallback;
    if (typeof text !== "string" || !/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max) {
      throw new OptionProblem(`--${name} must be a whole number from ${min} to ${max}, not "${String(text)}".`);
    }
    return Number(text);
  };
  const port = (name: keyof typeof given, fallback: number): number => number(name, 0, 65_535, fallback);
  const host = given.host ?? "127.0.0.1";
  if (!LOOPBACK.test(host)) {
    throw new OptionProblem(`--host ${host} can be reached by others, and SAS has no password: use 127.0.0.1.`);
  }
  const denomination = number("denomination", 1, 2_000, MODEL.denomination);
  if (DENOMINATIONS[denomination] === undefined) {
    throw new OptionProblem(`--denomination must be one of ${Object.keys(DENOMINATIONS).join(", ")}.`);
  }
  const brand = given.brand ?? MODEL.brand;
  if (!BRANDS.includes(brand)) throw new OptionProblem(`--brand must be one of ${BRANDS.join(", ")}.`);
  const assetNumber = number("asset", 1, 999_999_999, MODEL.assetNumber);
  return {
    folder: given.data ?? "data/cabinet",
    host,
    sas: port("sas", 7_601),
    buttons: port("buttons", 7_602),
    control: port("control", 7_603),
    screen: given.screen === "none" ? null : port("screen", 7_604),
    pty: given.pty ?? false,
    model: {
      ...MODEL,
      address: number("address", 0, 127, MODEL.address),
      assetNumber,
      serial: `LC-${String(assetNumber).padStart(9, "0")}`,
      denomination,
      brand,
      seed: given.seed ?? `${MODEL.seed}/${assetNumber}`,
      minCycleMs: number("cycle", 10, 60_000, MODEL.minCycleMs),
      historyPlaces: number("history", 1, 127, MODEL.historyPlaces),
      lacks: readLacks(given.lacks),
    },
    wakeup: given.parity === true ? "ignored" : "required",
    gapMsMax: number("gap", 1, 10_000, 5),
    timeCode: given["time-code"] ?? false,
  };
}

function readLacks(text: string | undefined): number[] {
  if (text === undefined) return [];
  if (!/^[0-9a-f]{2}(,[0-9a-f]{2}){0,63}$/i.test(text)) {
    throw new OptionProblem(`--lacks must be command bytes such as 6f,a0, not "${text}".`);
  }
  return text.split(",").map((byte) => Number.parseInt(byte, 16));
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: "string" },
        host: { type: "string" },
        sas: { type: "string" },
        pty: { type: "boolean" },
        buttons: { type: "string" },
        control: { type: "string" },
        screen: { type: "string" },
        address: { type: "string" },
        asset: { type: "string" },
        denomination: { type: "string" },
        brand: { type: "string" },
        seed: { type: "string" },
        cycle: { type: "string" },
        history: { type: "string" },
        lacks: { type: "string" },
        parity: { type: "boolean" },
        gap: { type: "string" },
        "time-code": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    throw new OptionProblem(`${sentence} (npm run cabinet -- --help lists the options)`, { cause: error });
  }
}
