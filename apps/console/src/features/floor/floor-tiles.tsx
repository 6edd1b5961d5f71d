import type { FloorMachine } from "@longarm/contract/staff-floor";
import type { Task } from "@longarm/contract/staff-tasks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { Link } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { memo } from "react";
import { useConsole } from "../../shared/console.ts";
import { BareLamp } from "../../shared/floor/bare-lamp.tsx";
import { lampOf } from "../../shared/floor/lamp-of.ts";
import { Still } from "../../shared/floor/still.tsx";
import type { Zoom } from "../../shared/floor/zoom.ts";
import { islandsOf } from "../../shared/floor/zoom.ts";
import { useSkewMs } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { leftText } from "../../shared/times.ts";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./floor.module.css";

type FormProps = {
  readonly machines: readonly FloorMachine[];
  readonly zoom: Zoom;
  readonly peek: (id: string) => void;
};

/* A push changes few machines of many, so a tile is drawn again only when its own machine or task changed: rows that did not change stay the same objects. */

/** Machines as tiles: near with everything that is known, in the middle with the lamp and who plays. */
export function Tiles({ machines, zoom, peek }: FormProps) {
  const tasks = useTasks();
  return (
    <ul className={css["wall"]} data-zoom={zoom} onKeyDown={(event) => onTileKey(event, peek)}>
      {machines.map((machine) => (
        <li key={machine.id}>
          {zoom === "near" ? (
            <NearTile machine={machine} task={firstTask(machine, tasks)} />
          ) : (
            <MiddleTile machine={machine} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Machines by their islands, as small as a lamp and a still can be. */
export function Plan({ machines, peek }: FormProps) {
  const { t } = useText();
  return (
    <ul className={css["plan"]} onKeyDown={(event) => onTileKey(event, peek)}>
      {islandsOf(machines).map(([island, own]) => (
        <li key={island}>
          <section className={css["island"]} aria-label={island}>
            <h2>
              <b>{island}</b>
              <span className="num" title={t("floor.seatedHere")}>
                {own.filter(({ player }) => player !== null).length} / {own.length}
              </span>
            </h2>
            <ul>
              {own.map((machine) => (
                <li key={machine.id}>
                  <Dot machine={machine} />
                </li>
              ))}
            </ul>
          </section>
        </li>
      ))}
    </ul>
  );
}

/** The arrows move from machine to machine, Space looks into one over the floor. */
function onTileKey(event: KeyboardEvent<HTMLElement>, peek: (id: string) => void): void {
  const tiles = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>("a[data-machine]")];
  const at = tiles.indexOf(document.activeElement as HTMLAnchorElement);
  if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " ") {
    event.preventDefault();
    peek(tiles[at]?.dataset["machine"] ?? "");
    return;
  }
  const to = nextTile(event.key, tiles, at);
  if (to === undefined) return;
  event.preventDefault();
  tiles[to]?.focus();
}

/** Which tile a key leads to: left and right as the page is written, up and down to the one that is there. */
function nextTile(key: string, tiles: readonly HTMLElement[], at: number): number | undefined {
  const back = document.documentElement.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
  const forth = back === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
  if (key === back) return Math.max(0, at - 1);
  if (key === forth) return Math.min(tiles.length - 1, at + 1);
  if (key === "Home") return 0;
  if (key === "End") return tiles.length - 1;
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const here = tiles[at]?.getBoundingClientRect();
  if (here === undefined) return undefined;
  const middle = here.left + here.width / 2;
  const step = key === "ArrowUp" ? -1 : 1;
  for (let to = at + step; to >= 0 && to < tiles.length; to += step) {
    const there = tiles[to]?.getBoundingClientRect();
    const isOtherLine = there !== undefined && Math.abs(there.top - here.top) > 4;
    if (isOtherLine && there.left <= middle && there.right >= middle) return to;
  }
  return undefined;
}

function useTasks(): ReadonlyMap<string, Task> {
  const tasks = useRead("tasks");
  return new Map(tasks.data?.rows.map((task) => [task.id, task]));
}
const firstTask = ({ needs }: FloorMachine, tasks: ReadonlyMap<string, Task>): Task | undefined =>
  needs.map((id) => tasks.get(id)).find((task) => task !== undefined);

function TileLink(props: { readonly machine: FloorMachine; readonly children: React.ReactNode }) {
  const { id, needs } = props.machine;
  const [status] = lampOf(props.machine);
  return (
    <Link
      to={`${paths.floor}/${id}`}
      className={css["tile"]}
      preload={false}
      data-machine={id}
      data-needs={needs.length > 0 || undefined}
      data-status={status}
    >
      {props.children}
    </Link>
  );
}

const NearTile = memo(function NearTile({
  machine,
  task,
}: {
  readonly machine: FloorMachine;
  readonly task: Task | undefined;
}) {
  const { t } = useText();
  const [status, word] = lampOf(machine);
  const { name, credit, lastWin, delayMs } = machine;
  return (
    <TileLink machine={machine}>
      <Still machine={machine} />
      <span className={css["line"]}>
        <b>{name}</b>
        <Lamp status={status}>{status === "waiting" ? <Waiting machine={machine} /> : t(word)}</Lamp>
      </span>
      <span className={css["line"]}>
        <Player machine={machine} />
        <span className="soft num">{delayMs === null ? "" : t("floor.delay", { ms: Math.round(delayMs) })}</span>
      </span>
      {task === undefined ? (
        <span className={css["line"]}>
          <Money minor={credit} tone="ink" />
          <span className="soft">
            {lastWin === null ? (
              t("floor.noWin")
            ) : (
              <>
                {t("floor.won")} <Money minor={lastWin} tone="ink" />
              </>
            )}
          </span>
        </span>
      ) : (
        <Need task={task} />
      )}
    </TileLink>
  );
});

function Player({ machine: { player, reservedFor } }: { readonly machine: FloorMachine }) {
  const { t } = useText();
  if (player !== null) return <span>{player.username}</span>;
  return (
    <span className="soft">
      {reservedFor === null ? t("floor.free") : t("floor.for", { name: reservedFor.username })}
    </span>
  );
}

/** "Waiting, 62 s": until the seat of a player who is away ends. */
function Waiting({ machine: { seatEndsAt } }: { readonly machine: FloorMachine }) {
  const { t } = useText();
  const { clock, timers } = useConsole();
  const now = useNow(clock, timers) + useSkewMs();
  if (seatEndsAt === null) return t("floor.lamp_waiting");
  return t("floor.waitingFor", { time: leftText(Date.parse(seatEndsAt) - now) });
}

/** What needs a person at the machine: since when, and who has it. */
function Need({ task: { kind, amount, since, owner } }: { readonly task: Task }) {
  const { t } = useText();
  const { clock, timers } = useConsole();
  const now = useNow(clock, timers) + useSkewMs();
  return (
    <span className={css["need"]}>
      <span>
        {t(`floor.need_${kind}`)}
        {amount !== null && (
          <>
            {" "}
            <Money minor={amount} tone="ink" />
          </>
        )}
      </span>
      <span className="num">
        {leftText(now - Date.parse(since))} · {owner?.name ?? t("floor.unassigned")}
      </span>
    </span>
  );
}

const MiddleTile = memo(function MiddleTile({ machine }: { readonly machine: FloorMachine }) {
  const [status, word] = lampOf(machine);
  const { t } = useText();
  const { name, player, credit } = machine;
  return (
    <TileLink machine={machine}>
      <Still machine={machine} />
      <span className={css["line"]}>
        <b>{name}</b>
        <BareLamp status={status} word={t(word)} />
      </span>
      <span className={css["line"]}>
        <span className={player === null ? "soft" : ""}>{player?.username ?? t(word)}</span>
        {credit > 0 && <Money minor={credit} tone="ink" />}
      </span>
    </TileLink>
  );
});

const Dot = memo(function Dot({ machine }: { readonly machine: FloorMachine }) {
  const { t } = useText();
  const [status, word] = lampOf(machine);
  return (
    <TileLink machine={machine}>
      <Still machine={machine} small />
      <span className={css["line"]} title={`${machine.name}: ${t(word)}`}>
        <b>
          <span className="visually-hidden">{machine.name}</span>
          <span aria-hidden="true">{machine.name.split(" ").at(-1)}</span>
        </b>
        <BareLamp status={status} word={t(word)} />
      </span>
    </TileLink>
  );
});
