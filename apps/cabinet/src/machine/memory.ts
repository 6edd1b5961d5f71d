import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { State } from "./state.ts";

/** Where the two banks are; synchronous, because an answer on the line waits for it. */
export type Banks = {
  /** The bytes of a bank, or undefined when it was never written. */
  read(bank: 0 | 1): Buffer | undefined;
  /** May stop after any byte and throw `PowerCut`: then the bank holds what was written until there. */
  write(bank: 0 | 1, bytes: Buffer): void;
  clear(): void;
};

/** The machine lost its power while it wrote. */
export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

export class MemoryDamaged extends Error {
  override readonly name = "MemoryDamaged";
}

/**
 * Non-volatile memory of two banks. Each save writes the whole state over the older bank, so a power cut at any byte leaves the other one.
 * It survives the end of the process; it is not synchronised to the disk, because nothing that depends on this machine is real.
 */
export type Memory = { load(): State | null; save(state: State): void };

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** `sequence` and state of a bank; null when it was never written whole. */
function readBank(banks: Banks, bank: 0 | 1): { sequence: number; state: State } | null {
  const text = banks.read(bank)?.toString("utf8") ?? "";
  const body = text.slice(65);
  if (text[64] !== " " || digest(body) !== text.slice(0, 64)) return null;
  const { sequence, state } = JSON.parse(body) as { sequence: number; state: unknown };
  return { sequence, state: State.parse(state) };
}

/** @throws MemoryDamaged when both banks were written once and none can be read. */
export function openMemory(banks: Banks): Memory {
  const found = ([0, 1] as const).map((bank) => readBank(banks, bank));
  const newest = found[0] !== null && (found[1]?.sequence ?? -1) < (found[0]?.sequence ?? -1) ? 0 : 1;
  let [at, sequence] = [newest as 0 | 1, found[newest]?.sequence ?? 0];
  const written = ([0, 1] as const).filter((bank) => (banks.read(bank)?.length ?? 0) > 0).length;
  if (written === 2 && found.every((bank) => bank === null)) {
    throw new MemoryDamaged("Both banks of the machine's memory are damaged: remove its folder to start it as new.");
  }
  let saved = JSON.stringify(found[newest]?.state ?? null);
  return {
    load: () => (saved === "null" ? null : State.parse(JSON.parse(saved))),
    save(state) {
      const text = JSON.stringify(state);
      if (text === saved) return;
      const body = JSON.stringify({ sequence: sequence + 1, state });
      const other = at === 0 ? 1 : 0;
      banks.write(other, Buffer.from(`${digest(body)} ${body}`));
      at = other;
      sequence += 1;
      saved = text;
    },
  };
}

/** The banks as two files of a folder, made when absent. */
export function folderBanks(folder: string): Banks {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (bank: 0 | 1): string => join(folder, `bank-${bank}`);
  return {
    read(bank) {
      try {
        return readFileSync(file(bank));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    write: (bank, bytes) => writeFileSync(file(bank), bytes, { mode: 0o600 }),
    clear() {
      for (const bank of [0, 1] as const) rmSync(file(bank), { force: true });
    },
  };
}
