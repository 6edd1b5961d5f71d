import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";

const Note = z.object({
  atMs: z.number(),
  /** The longest delay of the event loop in this second. */
  delayMs: z.number(),
  /** Of its longest gap, what the process itself was computing. */
  busyMs: z.number(),
  /** Computed since the last note. */
  usedMs: z.number(),
  residentBytes: z.number(),
  descriptors: z.number(),
});
export type Note = z.infer<typeof Note>;

export const PROBE = join(import.meta.dirname, "probe.ts");

/** Where probed processes write, and what they wrote. */
export function openNotes() {
  const folder = mkdtempSync(join(tmpdir(), "longarm-fuzz-"));
  return {
    env: { FUZZ_PROBE: folder },
    of(pid: number): Note[] {
      const file = join(folder, `${pid}.jsonl`);
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
      return lines.map((line) => z.parse(Note, JSON.parse(line)));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
export type Notes = ReturnType<typeof openNotes>;
