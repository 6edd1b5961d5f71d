import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import * as z from "zod/mini";
import type { Clock } from "../../ports/clock.ts";
import type { Mark } from "./blink.ts";

/** A file of the kernel that switches a light: an LED below /sys/class/leds, or an output below /sys/class/gpio. */
export function fileMark(path: string, clock: Clock): Mark {
  const show = async (on: boolean): Promise<number> => {
    const beganAt = clock.now();
    // An LED takes no more than its own maximum, and an output takes everything but 0 for 1.
    await writeFile(path, on ? "255" : "0");
    return (beganAt + clock.now()) / 2;
  };
  return {
    says: `Put the light of ${path} where the camera sees it. It blinks for half a minute.`,
    ready: () => show(false).then(() => undefined),
    show,
    close: () => writeFile(path, "0").catch(() => undefined),
  };
}

/** A page that does not answer for so long was closed, ms. */
const ANSWER_MS_MAX = 5_000;
const BODY_BYTES_MAX = 200;

const Ms = z.number().check(z.gte(0), z.lte(ANSWER_MS_MAX));
/** The page says that it shows the blink `n`, since `agoMs`. `tripMs`: the shortest time that such a call took until now. */
const Shown = z.object({ n: z.int(), agoMs: Ms, tripMs: Ms });

/**
 * A mark on a page that any screen can open: it fetches from this computer, at an address with `secret` in it, when to change. The time that its
 * screen takes counts as the camera's.
 */
export async function pageMark(clock: Clock, secret: string): Promise<Mark> {
  const opened = Promise.withResolvers<void>();
  let page: ServerResponse | undefined;
  let blinks = 0;
  let waiting: { readonly n: number; readonly sentAtMs: number; shown(atMs: number): void } | undefined;

  const server = createServer((request, response) => {
    const { method, url } = request;
    if (method === "GET" && url === `/${secret}`) send(response, 200, PAGE);
    else if (method === "GET" && url === `/${secret}/light`) {
      // The newest page blinks.
      page?.end();
      page = response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("\n");
      opened.resolve();
    } else if (method === "POST" && url === `/${secret}/shown`) void take(request, response);
    else send(response, 404, "");
  });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const receivedAtMs = clock.now();
    const said = await bodyOf(request).catch(() => undefined);
    send(response, said === undefined ? 400 : 200, "");
    if (said === undefined || waiting?.n !== said.n) return;
    waiting.shown(Math.max(waiting.sentAtMs, receivedAtMs - said.agoMs - said.tripMs / 2));
  };
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    says: `Open ${addresses(port)
      .map((address) => `${address}/${secret}`)
      .join(" or ")} on a screen that the camera sees. It blinks for half a minute.`,
    ready: () => opened.promise,
    show: (on) =>
      new Promise((resolve, reject) => {
        blinks += 1;
        const stop = clock.after(ANSWER_MS_MAX, () => reject(new Error("the page that blinks does not answer")));
        const shown = (atMs: number): void => {
          stop();
          waiting = undefined;
          resolve(atMs);
        };
        waiting = { n: blinks, sentAtMs: clock.now(), shown };
        page?.write(`data: ${JSON.stringify({ n: blinks, on })}\n\n`);
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(body);
}

async function bodyOf(request: IncomingMessage): Promise<z.infer<typeof Shown>> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) throw new Error("too long");
  }
  return Shown.parse(JSON.parse(text));
}

function addresses(port: number): string[] {
  const own = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
  const outward = own.filter(({ family, internal }) => family === "IPv4" && !internal);
  return [...outward.map(({ address }) => address), "127.0.0.1"].map((address) => `http://${address}:${port}`);
}

/** The mark is a third of the screen, so that the camera does not adapt to it. It changes at most three times a second. */
const PAGE = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Longarm</title>
<style>html { height: 100%; background: #444 } div { position: fixed; inset: 33% 33%; background: #000 }</style>
<div></div>
<script>
const mark = document.querySelector("div");
let tripMs = 5000;
new EventSource(location.pathname + "/light").onmessage = ({ data }) => {
  const { n, on } = JSON.parse(data);
  requestAnimationFrame(() => {
    mark.style.background = on ? "#fff" : "#000";
    requestAnimationFrame(async (shown) => {
      const sent = performance.now();
      await fetch(location.pathname + "/shown", { method: "POST", body: JSON.stringify({ n, agoMs: Math.max(0, sent - shown), tripMs: tripMs === 5000 ? 0 : tripMs }) });
      tripMs = Math.min(tripMs, performance.now() - sent);
    });
  });
};
</script>
`;
