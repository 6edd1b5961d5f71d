import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundTool } from "./tool.ts";

interface Memory {
  found: FoundTool;
  /** When the program's file was last changed: an upgraded one is tried again. */
  changedMs: number;
}

const place = (folder: string): string => join(folder, "found.json");

/** What an earlier search found, as long as the program has not changed since. */
export function recall(folder: string): FoundTool | undefined {
  try {
    const memory: Memory = JSON.parse(readFileSync(place(folder), "utf8"));
    return statSync(memory.found.executablePath).mtimeMs === memory.changedMs ? memory.found : undefined;
  } catch {
    return undefined;
  }
}

/** A tree that cannot be written is searched again next time; nothing is lost by that. */
export function remember(folder: string, found: FoundTool): void {
  try {
    mkdirSync(folder, { recursive: true });
    const memory: Memory = { found, changedMs: statSync(found.executablePath).mtimeMs };
    writeFileSync(place(folder), JSON.stringify(memory, null, 2));
  } catch {
    return;
  }
}
