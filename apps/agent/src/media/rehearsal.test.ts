import { expect, test } from "vitest";
import type { Transport } from "../ports/transport.ts";
import { rehearse } from "./rehearsal.ts";
import { realClock } from "./testing/real-clock.ts";
import { createWeriftTransport } from "./transport/werift/transport.ts";

test("a rehearsal makes one connection from the process to itself, and leaves nothing of it", async () => {
  const real = createWeriftTransport(realClock);
  const seen: string[] = [];
  const noted = <T extends { connection: { close(): Promise<void> } }>(who: string, opened: T): T => {
    const close = async () => {
      seen.push(`${who} closed`);
      await opened.connection.close();
    };
    return { ...opened, connection: { ...opened.connection, close } };
  };
  const watched: Transport = {
    ...real,
    addViewer: async (request, events) =>
      noted(
        "viewer",
        await real.addViewer(request, {
          ...events,
          connected(streams) {
            seen.push(`viewer connected, ${streams.videoCodec}`);
            events.connected(streams);
          },
        }),
      ),
    publish: async (exchange, events) => noted("publication", await real.publish(exchange, events)),
  };
  await rehearse(watched, realClock);
  expect(seen.toSorted()).toEqual(["publication closed", "viewer closed", "viewer connected, h264"]);
  await real.close();
});

test("where no connection can be made the rehearsal fails quietly", async () => {
  const refuses = () => Promise.reject(new Error("no network"));
  await rehearse({ addViewer: refuses, publish: refuses, close: async () => undefined }, realClock);
});
