import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import * as z from "zod/mini";

const Note = z.object({
  atMs: z.number(),
  /** The name of the file that the process runs. */
  program: z.string(),
  /** The process that has started it. */
  parent: z.number(),
  /** The longest delay of the event loop in this second. */
  delayMs: z.number(),
  /** Of its longest gap, what the process itself was computing. */
  busyMs: z.number(),
  /** The same, less what had piled up while the thread waited for a processor. */
  excessMs: z.number(),
  /** Computed since the last note, and waited for a processor. */
  usedMs: z.number(),
  waitedMs: z.number(),
  /** Computed by all threads of the process. */
  usedByAllMs: z.number(),
  residentBytes: z.number(),
  descriptors: z.number(),
  /** What it holds after a garbage collection, where the run requested one. */
  heldBytes: z.optional(z.number()),
});
export type Note = z.infer<typeof Note>;
export type Held = { readonly heldBytes: number; readonly residentBytes: number; readonly descriptors: number };

/** A collection on a busy computer takes seconds at most. */
const COLLECT_MS_MAX = 60_000;

/** Where probed processes write, and what they wrote. */
export function openNotes() {
  const folder = mkdtempSync(join(tmpdir(), "longarm-fuzz-"));
  const probe = pathToFileURL(join(import.meta.dirname, "probe.ts"));
  probe.searchParams.set("folder", folder);
  const of = (pid: number): Note[] => {
    const file = join(folder, `${pid}.jsonl`);
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => z.parse(Note, JSON.parse(line)));
  };
  const firsts = new Map<number, Note>();
  const first = (pid: number): Note | undefined => {
    const known = firsts.get(pid) ?? of(pid)[0];
    if (known !== undefined) firsts.set(pid, known);
    return known;
  };
  return {
    /** With these words of NODE_OPTIONS a process is probed, and each that it starts. */
    nodeOptions: `--import=${probe.href}`,
    of,
    /** The processes that one has started of a program, and that still run or not. */
    pids(parent: number, program: string): number[] {
      const pids = readdirSync(folder).map((name) => Number.parseInt(name, 10));
      return pids.filter((pid) => first(pid)?.parent === parent && first(pid)?.program === program);
    },
    /** Has a process collect its garbage, and answers what it holds. Throws when it does not answer. */
    async held(pid: number): Promise<Held> {
      const skip = of(pid).length;
      process.kill(pid, "SIGUSR2");
      for (const from = performance.now(); performance.now() - from < COLLECT_MS_MAX; await pause(20)) {
        const [found] = of(pid)
          .slice(skip)
          .filter(({ heldBytes }) => heldBytes !== undefined);
        if (found !== undefined) return { ...found, heldBytes: found.heldBytes ?? 0 };
      }
      throw new Error(`Process ${pid} hangs: it does not collect its garbage.`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
export type Notes = ReturnType<typeof openNotes>;
