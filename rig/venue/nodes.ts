import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import type { Keeper } from "../../launcher/keeper.ts";
import type { Platforms, StartPlatform } from "../../launcher/venue.ts";
import { findTool } from "../../tooling/finders/find-tool.ts";
import { acceptsTcp, freePort } from "./free-port.ts";

/** One process of a platform of several. */
export type VenueNode = {
  /** Its `NODE_ID`. */
  readonly id: string;
  /** Past the balancer. */
  readonly href: string;
  readonly keeper: Keeper;
};

export type SeveralNodes = {
  readonly nodes: VenueNode[];
  readonly nats: NatsServer;
  readonly balancer: Balancer;
  readonly start: (start: StartPlatform) => Promise<Platforms>;
  close(): Promise<void>;
};

/** A platform of several processes with NATS between them and a balancer before them. */
export async function openNodes(count: number): Promise<SeveralNodes> {
  const nats = await openNatsServer();
  const balancer = await openBalancer();
  const nodes: VenueNode[] = [];

  async function start(startPlatform: StartPlatform): Promise<Platforms> {
    const begun: Keeper[] = [];
    const stop = (): Promise<unknown> => Promise.all(begun.map((keeper) => keeper.stop()));
    try {
      for (let n = 1; n <= count; n += 1) {
        const id = `node-${n}`;
        const keeper = startPlatform({ NODE_ID: id, BUS_URL: nats.url, PORT: String(await freePort()) });
        begun.push(keeper);
        // The first one makes the tables; the others find them.
        const { href = "" } = await keeper.ready();
        nodes.push({ id, href, keeper });
      }
    } catch (error) {
      await stop();
      throw error;
    }
    balancer.serve(nodes.map(({ href }) => href));
    return { href: balancer.href, platform: together(begun), stop };
  }

  return {
    nodes,
    nats,
    balancer,
    start,
    async close() {
      await balancer.close();
      await nats.close();
    },
  };
}

/** All processes as one: what is done to the platform is done to each of them, and it has ended when one of them has. */
function together(keepers: readonly Keeper[]): Keeper {
  const each = async <T>(run: (keeper: Keeper) => Promise<T>): Promise<T> => {
    const [first] = await Promise.all(keepers.map(run));
    return first as T;
  };
  return {
    ready: () => each((keeper) => keeper.ready()),
    pid: () => keepers[0]?.pid() ?? 0,
    stop: () => each((keeper) => keeper.stop()),
    kill: () => each((keeper) => keeper.kill()),
    exited: () => Promise.race(keepers.map((keeper) => keeper.exited())),
    async restart(env) {
      await each((keeper) => keeper.kill());
      return await each((keeper) => keeper.restart(env));
    },
  };
}

/** A balancer in front of several platform processes: every connection goes to the next one that accepts it. */
export type Balancer = {
  /** `http://127.0.0.1:…`. */
  readonly href: string;
  /** From now on new connections go only to these, by turns. */
  serve(hrefs: readonly string[]): void;
  close(): Promise<void>;
};

/** A balancer of TCP connections on 127.0.0.1, without health checks: one that refuses is passed over at once. */
async function openBalancer(): Promise<Balancer> {
  let targets: readonly URL[] = [];
  let turn = 0;
  const open = new Set<Socket>();

  function keep(socket: Socket): Socket {
    open.add(socket);
    return socket.on("error", () => socket.destroy()).once("close", () => open.delete(socket));
  }

  async function reach(): Promise<Socket | undefined> {
    const tried = targets.length;
    for (let n = 0; n < tried; n += 1) {
      const target = targets[turn % targets.length];
      turn += 1;
      if (target === undefined) return undefined;
      const socket = connect(Number(target.port), target.hostname);
      if (await opened(socket)) return socket;
    }
    return undefined;
  }

  const server = createServer({ pauseOnConnect: true }, (client) => {
    keep(client);
    void reach().then((node) => {
      if (node === undefined || client.destroyed) {
        client.destroy();
        node?.destroy();
        return;
      }
      keep(node).setNoDelay(true);
      client.setNoDelay(true);
      client.once("close", () => node.destroy());
      node.once("close", () => client.destroy());
      client.pipe(node);
      node.pipe(client);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    href: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(hrefs) {
      targets = hrefs.map((href) => new URL(href));
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function opened(socket: Socket): Promise<boolean> {
  return new Promise((answered) => {
    socket.once("connect", () => answered(true));
    socket.once("error", () => answered(false));
  });
}

/** A NATS server on 127.0.0.1. */
export type NatsServer = {
  readonly portNumber: number;
  /** For `BUS_URL`. */
  readonly url: string;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again at the same port after a kill. */
  start(): Promise<void>;
  close(): Promise<void>;
};

type NatsOptions = { readonly user?: string; readonly pass?: string; readonly token?: string };

const START_MS = 60_000;

export async function openNatsServer({ user, pass, token }: NatsOptions = {}): Promise<NatsServer> {
  const { executablePath, env, args } = await findTool("nats-server");
  const portNumber = await freePort();
  const own = ["--addr", "127.0.0.1", "--port", String(portNumber)];
  if (user !== undefined) own.push("--user", user, "--pass", pass ?? "");
  if (token !== undefined) own.push("--auth", token);
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const gone = once(running, "exit");
    running.kill("SIGKILL");
    await gone;
  }

  async function start(): Promise<void> {
    const started = spawn(executablePath, [...args, ...own], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    let said = "";
    started.stderr?.setEncoding("utf8").on("data", (part: string) => {
      said = (said + part).slice(-4_000);
    });
    const until = performance.now() + START_MS;
    while (!(await acceptsTcp(portNumber))) {
      if (started.exitCode === null && started.signalCode === null && performance.now() < until) continue;
      await kill();
      throw new Error(`The NATS server did not start: ${said}`);
    }
  }

  await start();
  const who = user === undefined ? token : `${user}:${pass ?? ""}`;
  const url = `nats://${who === undefined ? "" : `${who}@`}127.0.0.1:${portNumber}`;
  return { portNumber, url, kill, start, close: kill };
}
