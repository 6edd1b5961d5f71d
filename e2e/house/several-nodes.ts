import type { Platforms, StartPlatform } from "../../launcher/house.ts";
import type { Keeper } from "../../launcher/keeper.ts";
import type { Balancer } from "./balancer.ts";
import { openBalancer } from "./balancer.ts";
import { freePort } from "./free-port.ts";
import type { NatsServer } from "./nats-server.ts";
import { openNatsServer } from "./nats-server.ts";

/** One process of a platform of several. */
export type HouseNode = {
  /** Its `NODE_ID`. */
  readonly id: string;
  /** Past the balancer. */
  readonly href: string;
  readonly keeper: Keeper;
};

export type SeveralNodes = {
  readonly nodes: HouseNode[];
  readonly nats: NatsServer;
  readonly balancer: Balancer;
  readonly start: (start: StartPlatform) => Promise<Platforms>;
  close(): Promise<void>;
};

/** A platform of several processes with NATS between them and a balancer before them. */
export async function severalNodes(count: number): Promise<SeveralNodes> {
  const nats = await openNatsServer();
  const balancer = await openBalancer();
  const nodes: HouseNode[] = [];

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
