import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createBroadcast } from "@longarm/agent/media/broadcast";
import { paintedSource } from "@longarm/agent/media/testing/painted-source";
import { realClock } from "@longarm/agent/media/testing/real-clock";
import { createWeriftTransport } from "@longarm/agent/media/transport/werift/transport";

export type WhepServer = {
  /** The address of each machine, with `{machine}` in place of its id. */
  readonly whep: string;
  /** Requests so far, such as `POST /nar-01/whep`; preflights are left out. */
  readonly requests: readonly string[];
  watching(): number;
  /** True: refuses offers from now on, and drops those who watch. */
  fail(failing: boolean): Promise<void>;
  close(): Promise<void>;
};

/**
 * A media server that shows the same painted picture (with a tone) for every machine, by WHEP, on 127.0.0.1. It requests no token and accepts pages of every
 * origin, as one for a crowd does.
 */
export async function openWhepServer(): Promise<WhepServer> {
  const broadcast = createBroadcast({
    source: paintedSource(realClock),
    transport: createWeriftTransport(realClock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true }),
    clock: realClock,
  });
  const requests: string[] = [];
  let failing = false;
  let watches = 0;
  const watch = async (offer: string): Promise<{ readonly id: string; readonly sdp: string }> => {
    watches += 1;
    const viewerId = `watch-${watches}`;
    const ignored = { connected: () => {}, closed: () => {}, candidate: () => {} };
    const request = { viewerId, role: "spectator", sdp: offer, iceServers: [], presses: null, complete: true } as const;
    const { sdp } = await broadcast.addViewer({ ...request, ...ignored });
    return { id: viewerId, sdp };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    response.setHeader("access-control-allow-origin", "*").setHeader("access-control-expose-headers", "location");
    if (method === "OPTIONS") {
      response.setHeader("access-control-allow-methods", "POST, DELETE");
      response.writeHead(204, { "access-control-allow-headers": "content-type" }).end();
      return;
    }
    requests.push(`${method} ${url}`);
    if (failing) response.writeHead(503).end();
    else if (method === "DELETE") {
      await broadcast
        .viewers()
        .find(({ viewerId }) => viewerId === url.split("/").at(-1))
        ?.close();
      response.writeHead(200).end();
    } else {
      const { id, sdp } = await watch(await bodyOf(request));
      response.writeHead(201, { "content-type": "application/sdp", location: `/watches/${id}` }).end(sdp);
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    whep: `http://127.0.0.1:${(server.address() as AddressInfo).port}/{machine}/whep`,
    requests,
    watching: () => broadcast.viewers().length,
    async fail(now) {
      failing = now;
      if (now) await Promise.all(broadcast.viewers().map((viewer) => viewer.close()));
    },
    async close() {
      await broadcast.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  return body;
}
