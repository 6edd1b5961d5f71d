import { once } from "node:events";
import { createWriteStream } from "node:fs";
import WebSocket from "ws";
import * as z from "zod/mini";
import { listeningPorts } from "../../rig/process.ts";

/** What a Node process holds once its garbage is gone. */
export type InsideHeld = {
  readonly heapMb: number;
  /** Memory outside of the heap that objects of it hold: buffers above all. */
  readonly externalMb: number;
  /** What keeps the process busy or waits: timers, sockets, work under way. */
  readonly resources: number;
  /** Those by their kind. */
  readonly kinds: Readonly<Record<string, number>>;
};

/** A Node process that was started with `--inspect`, from outside. */
export type Inspector = {
  /** Collects the garbage, then reads. */
  held(): Promise<InsideHeld>;
  /** Writes a heap snapshot, as the developer tools of Chromium open it. */
  snapshot(path: string): Promise<void>;
  close(): void;
};

const ANSWER_MS_MAX = 120_000;
const FOUND_MS_MAX = 10_000;
/** What a finalizer lets go of is gone only with the next collection. */
const COLLECTIONS = 2;
const READ = "JSON.stringify({ memory: process.memoryUsage(), resources: process.getActiveResourcesInfo() })";

const Targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const Frame = z.object({
  id: z.optional(z.number()),
  result: z.optional(z.unknown()),
  error: z.optional(z.object({ message: z.string() })),
  method: z.optional(z.string()),
  params: z.optional(z.looseObject({ chunk: z.optional(z.string()) })),
});
const Evaluated = z.object({ result: z.object({ value: z.string() }) });
const Read = z.object({
  memory: z.object({ heapUsed: z.number(), external: z.number() }),
  resources: z.array(z.string()),
});

/** Of a process that was started with `--inspect=127.0.0.1:0`, as its children are then. @throws Error when it cannot be inspected. */
export async function openInspector(pid: number): Promise<Inspector> {
  const socket = new WebSocket(await debuggerOf(pid), { perMessageDeflate: false });
  await once(socket, "open");
  const waiting = new Map<number, (frame: z.infer<typeof Frame>) => void>();
  let onChunk: (chunk: string) => void = () => {};
  let last = 0;
  socket.on("error", () => {});
  socket.on("close", () => {
    for (const answer of waiting.values()) answer({ error: { message: "the process has ended" } });
  });
  socket.on("message", (data: Buffer) => {
    const frame = z.parse(Frame, JSON.parse(data.toString("utf8")));
    if (frame.params?.chunk !== undefined) onChunk(frame.params.chunk);
    if (frame.id !== undefined) waiting.get(frame.id)?.(frame);
  });

  async function ask(method: string, params: object = {}): Promise<unknown> {
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<z.infer<typeof Frame>>();
    waiting.set(id, resolve);
    const timer = setTimeout(() => resolve({ error: { message: "no answer" } }), ANSWER_MS_MAX);
    socket.send(JSON.stringify({ id, method, params }), (error) => {
      if (error) resolve({ error: { message: error.message } });
    });
    const { result, error } = await promise;
    clearTimeout(timer);
    waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  return {
    async held() {
      for (let time = 0; time < COLLECTIONS; time += 1) await ask("HeapProfiler.collectGarbage");
      const answer = z.parse(Evaluated, await ask("Runtime.evaluate", { expression: READ, returnByValue: true }));
      const { memory, resources } = z.parse(Read, JSON.parse(answer.result.value));
      const kinds: Record<string, number> = {};
      for (const kind of resources) kinds[kind] = (kinds[kind] ?? 0) + 1;
      return {
        ...{ heapMb: memory.heapUsed / 2 ** 20, externalMb: memory.external / 2 ** 20 },
        ...{ resources: resources.length, kinds },
      };
    },
    async snapshot(path) {
      const file = createWriteStream(path);
      onChunk = (chunk) => void file.write(chunk);
      await ask("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
      onChunk = () => {};
      file.end();
      await once(file, "close");
    },
    close: () => socket.terminate(),
  };
}

/** The process may listen at other ports as well. */
async function debuggerOf(pid: number): Promise<string> {
  for (const port of listeningPorts(pid)) {
    const answer: unknown = await fetch(`http://127.0.0.1:${port}/json/list`, {
      signal: AbortSignal.timeout(FOUND_MS_MAX),
    })
      .then((answer) => answer.json())
      .catch(() => undefined);
    const targets = Targets.safeParse(answer);
    if (targets.data?.[0] !== undefined) return targets.data[0].webSocketDebuggerUrl;
  }
  throw new Error(`Process ${pid} cannot be inspected.`);
}
