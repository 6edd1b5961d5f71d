import { readdirSync } from "node:fs";
import type { CDPSession } from "playwright-core";
import { childrenOf, processCost } from "./computer.ts";

/** What a page holds once its garbage is gone. */
export type PageHeld = { readonly heapMb: number; readonly nodes: number; readonly listeners: number };
/** What a program and those that it has started hold: memory that is resident, files and sockets that are open. */
export type ProgramHeld = { readonly residentMb: number; readonly files: number };

export async function pageHeld(cdp: CDPSession): Promise<PageHeld> {
  // Twice: what only a finalizer holds goes with the second.
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");
  return { heapMb: usedSize / 2 ** 20, nodes, listeners: jsEventListeners };
}

export function programHeld(pid: number): ProgramHeld {
  return { residentMb: processCost(pid)?.residentMb ?? 0, files: filesOf(pid) };
}

/** An agent's pictures and connections are in the process that its core has started. */
function filesOf(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + filesOf(child), openFiles(pid));
}

function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
