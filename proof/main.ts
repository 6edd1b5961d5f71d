import type { Part } from "./part.ts";

/*
 * `npm run proof` lists the proofs of the venue, `npm run proof -- <part> [options]` runs one and prints its figures, and
 * `npm run proof -- <part> --help` prints its options. Exit code 0: everything held, 1: something did not, 2: it was not understood.
 */

/** A part is loaded when it is run: one that misses a program of its own stops no other. */
export const PARTS: Readonly<Record<string, () => Promise<Part>>> = {
  flood: async () => (await import("./flood/flood.ts")).flood,
  fuzz: async () => (await import("./fuzz/fuzz.ts")).fuzz,
  names: async () => (await import("./names.ts")).names,
  kills: async () => (await import("./kills/kills.ts")).kills,
  money: async () => (await import("./money/money.ts")).money,
  wallet: async () => (await import("./wallet/wallet.ts")).wallet,
  nodes: async () => (await import("./nodes.ts")).nodes,
};

const say = (line: string): void => console.log(line);

async function printParts(): Promise<void> {
  say("npm run proof -- <part> [options]\n");
  for (const [name, load] of Object.entries(PARTS)) say(`  ${name.padEnd(8)} ${(await load()).proves}`);
}

async function main([name, ...words]: readonly string[]): Promise<number> {
  const load = name !== undefined && Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
  if (load === undefined) {
    await printParts();
    if (name === undefined || name === "--help") return 0;
    console.error(`\nThere is no part "${name}".`);
    return 2;
  }
  const part = await load();
  if (words.includes("--help")) {
    for (const line of [part.proves, "", ...part.options]) say(line);
    return 0;
  }
  return (await part.run(words, say)) ? 0 : 1;
}

if (import.meta.main) {
  try {
    // Whatever a broken proof has left open must not keep it from ending.
    process.exit(await main(process.argv.slice(2)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}
