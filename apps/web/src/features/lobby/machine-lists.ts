import type { Brand, LobbyMachine } from "@longarm/contract/lobby-lists";
import type { Live } from "@longarm/ui/live.ts";
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { hashKey, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import type { NotificationEvents } from "../../shared/sockets/notification-events.ts";

/** All keys of the lobby in the query cache begin with it. */
const LOBBY = "lobby";

export type LobbySource = {
  readonly api: ApiClient;
  /** Ms between refreshes; false: never. Nothing is fetched while the tab is hidden. */
  readonly refreshMs: number | false;
  /** Receives the machines of each list (the game needs a machine's own socket address). */
  readonly onSeen: (machines: readonly LobbyMachine[]) => void;
  readonly pushes: StatusPushes;
};

export function brandsQuery({ api, refreshMs }: LobbySource) {
  return queryOptions({
    queryKey: [LOBBY, "brands"],
    queryFn: async ({ signal }): Promise<readonly Brand[]> => dataOf(await api.call("brands", { signal })),
    refetchInterval: refreshMs,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** The machines of one brand, or all of them. They are kept as long as the player is signed in, so that a player who comes back finds the floor as it was. */
export function machinesQuery({ api, refreshMs, pushes, onSeen }: LobbySource, brandId: string | undefined) {
  return queryOptions({
    queryKey: machinesKey(brandId),
    queryFn: async ({ signal }): Promise<readonly LobbyMachine[]> => {
      const keepNewer = pushes.begin();
      const list =
        brandId === undefined
          ? dataOf(await api.call("allMachines", { signal }))
          : dataOf(await api.call("machinesOfBrand", { path: { brandId }, signal }));
      const machines = keepNewer(eachOnce("machines" in list ? list.machines : list));
      onSeen(machines);
      return machines;
    },
    refetchInterval: refreshMs,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** Where the query cache holds a list of machines: of a brand, or all. */
export function machinesKey(brandId: string | undefined): readonly string[] {
  return [LOBBY, "machines", brandId ?? "all"];
}

/** An id that comes twice would be one card twice: the first row counts. */
function eachOnce(machines: readonly LobbyMachine[]): readonly LobbyMachine[] {
  const ids = new Set<string>();
  return machines.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** What is pushed of a machine: its status, and how many players wait for it. */
type Pushed = Partial<Pick<LobbyMachine, "status" | "waiting" | "called">>;

/** Writes what was pushed into every list that holds the machines. All other machines stay the same objects, so only those that changed draw again. */
function writePushed(cache: QueryClient, pushed: ReadonlyMap<string, Pushed>): void {
  const changes = (machine: LobbyMachine) => {
    const { status, waiting, called } = { ...machine, ...pushed.get(machine.id) };
    return status !== machine.status || waiting !== machine.waiting || called !== machine.called;
  };
  cache.setQueriesData<readonly LobbyMachine[]>({ queryKey: [LOBBY, "machines"] }, (machines) => {
    if (!machines?.some(changes)) return machines;
    return machines.map((machine) => (changes(machine) ? { ...machine, ...pushed.get(machine.id) } : machine));
  });
}

/** A seat was kept or given up: the lists are requested again. */
export function refreshMachines(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: [LOBBY, "machines"] });
}

/** The machines of a list; undefined while they are not known. */
export type MachinesNow = readonly LobbyMachine[] | undefined;

/** A list of the query cache as live state: a component that draws a part of it draws again only when that part has changed. */
export function liveList(cache: QueryClient, queryKey: QueryKey): Live<MachinesNow> {
  const hash = hashKey(queryKey);
  const queries = cache.getQueryCache();
  const getState = () => queries.get<readonly LobbyMachine[]>(hash)?.state.data;
  return {
    getState,
    getInitialState: getState,
    subscribe(listener) {
      let was = getState();
      return queries.subscribe(({ query }) => {
        if (query.queryHash !== hash) return;
        const before = was;
        was = getState();
        if (was !== before) listener(was, before);
      });
    },
  };
}

/** More machines than any venue has: beyond it the oldest ids are forgotten, so that a flood of pushes cannot fill the memory. */
export const PUSHED_MAX = 20_000;
/** The shortest time between two drawings of pushed statuses, ms. */
const DRAW_GAP_MS = 100;

/**
 * What the notification socket pushes of machines. A list that was requested before a push does not undo it when it arrives after.
 * This is the page's one coalescer: hundreds of pushes a second cost ten drawings a second, and of one machine only the newest counts.
 */
export class StatusPushes {
  readonly #newest = new Map<string, { readonly order: number; readonly part: Pushed }>();
  #order = 0;
  #undrawn = new Map<string, Pushed>();
  #cache: QueryClient | undefined;
  #frame: number | undefined;
  #gap: ReturnType<typeof setTimeout> | undefined;

  /** Draws the pushes of the socket into the cache's lists from now on: the first after a pause with the next frame. The returned function draws the rest and ends it. */
  follow(events: NotificationEvents, cache: QueryClient): () => void {
    this.#cache = cache;
    const stops = [
      events.on("machine", ({ id, status }) => this.#add("status", id, { status })),
      events.on("waiting", ({ id, count, called }) => this.#add("waiting", id, { waiting: count, called })),
    ];
    return () => {
      for (const stop of stops) stop();
      if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
      clearTimeout(this.#gap);
      this.#frame = undefined;
      this.#gap = undefined;
      this.#drawNow();
      this.#cache = undefined;
    };
  }

  #add(field: keyof Pushed, id: string, part: Pushed): void {
    this.#order += 1;
    const key = `${field} ${id}`;
    // Deleted first: a map keeps its keys in the order in which they were added.
    this.#newest.delete(key);
    this.#newest.set(key, { order: this.#order, part });
    const [oldest] = this.#newest.size > PUSHED_MAX ? this.#newest.keys() : [];
    if (oldest !== undefined) this.#newest.delete(oldest);
    this.#undrawn.set(id, { ...this.#undrawn.get(id), ...part });
    if (this.#gap === undefined) this.#drawNextFrame();
  }

  /** Call before a list is requested; apply the returned function to the list that arrives. */
  begin(): (machines: readonly LobbyMachine[]) => readonly LobbyMachine[] {
    const begun = this.#order;
    return (machines) =>
      machines.map((machine) => {
        const since = (field: keyof Pushed): Pushed | undefined => {
          const newest = this.#newest.get(`${field} ${machine.id}`);
          return newest !== undefined && newest.order > begun ? newest.part : undefined;
        };
        const [status, waiting] = [since("status"), since("waiting")];
        return status === undefined && waiting === undefined ? machine : { ...machine, ...status, ...waiting };
      });
  }

  #drawNextFrame(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#gap = setTimeout(() => {
        this.#gap = undefined;
        if (this.#undrawn.size > 0) this.#drawNextFrame();
      }, DRAW_GAP_MS);
      this.#drawNow();
    });
  }

  #drawNow(): void {
    const pushed = this.#undrawn;
    this.#undrawn = new Map();
    if (pushed.size > 0 && this.#cache !== undefined) writePushed(this.#cache, pushed);
  }
}
