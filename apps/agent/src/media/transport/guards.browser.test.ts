import { afterAll, beforeAll, expect, test } from "vitest";
import type { DataChannelName, Transport, ViewerConnection } from "../../ports/transport.ts";
import { realClock, until } from "../testing/real-clock.ts";
import type { WatchingPage } from "../testing/watching-page.ts";
import { openWatchingPage } from "../testing/watching-page.ts";
import { createWeriftTransport } from "./werift/transport.ts";

/* What the guards let through of a real browser: all that a page does. */

let watching: WatchingPage;
const transports: Transport[] = [];
beforeAll(async () => {
  watching = await openWatchingPage();
});
afterAll(async () => {
  for (const transport of transports) await transport.close();
  await watching?.close();
});

const call = <T>(name: string, ...given: unknown[]): Promise<T> =>
  watching.page.evaluate(`window.${name}(...${JSON.stringify(given)})`) as Promise<T>;
const read = <T>(expression: string): Promise<T> => watching.page.evaluate(expression) as Promise<T>;

/** A browser whose messages are answered with themselves. */
async function join(name: string) {
  const transport = createWeriftTransport(realClock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true });
  transports.push(transport);
  const opened = new Set<DataChannelName>();
  const closed: string[] = [];
  let connection: ViewerConnection | undefined;
  const joined = await transport.addViewer(
    { viewerId: name, sdp: await call<string>("startViewer", name), iceServers: [] },
    {
      ...{ connected: () => undefined, interrupted: () => undefined, rtcp: () => undefined },
      candidate: (candidate) => void call("trickleViewer", name, candidate),
      channelOpen: (channel) => void opened.add(channel),
      data: (channel, message) => void connection?.sendData(channel, message),
      closed: (reason) => void closed.push(reason),
    },
  );
  connection = joined.connection;
  await call("answerViewer", name, joined.sdp);
  await until("both channels are open", () => opened.size === 2);
  return { connection: joined.connection, closed };
}

/** Sends messages over both channels and waits for their answers: a burst, and then one after another. */
async function talk(name: string, from: number) {
  const send = (channel: string, seq: number) =>
    read(`window.viewers.${name}.channels.${channel}.send(JSON.stringify({ seq: ${seq}, at: "x".repeat(300) }))`);
  const heard = (channel: string, seq: number) =>
    read<boolean>(`window.viewers.${name}.${channel}.some((answer) => answer.seq === ${seq})`);
  for (const channel of ["press", "clock"]) {
    await read(
      `for (let n = 0; n < 60; n += 1) window.viewers.${name}.channels.${channel}.send(JSON.stringify({ seq: ${from} + n }))`,
    );
    // Channels do not repeat what is lost, and while ICE changes the path or the computer is busy some is: also the end of the burst.
    for (const seq of [...Array.from({ length: 20 }, (_, n) => from + 100 + n), from + 59]) {
      await until(`${channel} answers ${seq}`, async () => {
        if (await heard(channel, seq)) return true;
        await send(channel, seq);
        return false;
      });
    }
  }
}

test("attack 1, 2 and 3: a page's channels work, also after an ICE restart and a reload, and it leaves in order", async () => {
  const first = await join("one");
  await talk("one", 0);
  const again = await first.connection.renegotiate(await call<string>("restartViewer", "one"));
  await call("answerViewer", "one", again);
  await talk("one", 1_000);

  await watching.page.reload();
  const second = await join("two");
  await talk("two", 0);
  await read("window.viewers.two.channels.press.close()");
  await read("window.viewers.two.peer.close()");
  await until("the agent sees that it has left", () => second.closed.length > 0);
  expect(second.closed).toEqual(["The browser closed the connection."]);
  expect(first.closed).not.toContain("The browser sends more than a page does.");
});
