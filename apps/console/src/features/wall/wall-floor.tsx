import type { WallMachine } from "@longarm/contract/staff-wall";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import type { CSSProperties } from "react";
import { BareLamp } from "../../shared/floor/bare-lamp.tsx";
import { lampOf } from "../../shared/floor/lamp-of.ts";
import { Still } from "../../shared/floor/still.tsx";
import { islandsOf, zoomFor } from "../../shared/floor/zoom.ts";
import css from "./wall.module.css";

/** Width by height of the space for machines on a screen of 1920 × 1080, and of a tile; a wall scrolls nowhere. */
const SPACE = 1.5;
const TILE = 1.25;
const ISLAND = 1.7;

/** In how many columns so many tiles of that shape fill the space best. */
export function columnsFor(count: number, tile: number): number {
  const columns = Array.from({ length: Math.max(1, count) }, (_, at) => at + 1);
  const area = (of: number): number => {
    const rows = Math.ceil(count / of);
    // The largest tile of its shape that fits in this grid.
    return Math.min(SPACE / of, (1 / rows) * tile);
  };
  return columns.reduce((best, of) => (area(of) > area(best) + 1e-9 ? of : best), 1);
}

/** All machines of a wall, as large as all of them fit. */
export function WallFloor({ machines }: { readonly machines: readonly WallMachine[] }) {
  const { t } = useText();
  const zoom = zoomFor(machines.length);
  if (machines.length === 0) return <p className={css["none"]}>{t("wall.noMachines")}</p>;
  if (zoom !== "plan")
    return (
      <ul className={css["tiles"]} data-zoom={zoom} style={gridOf(machines.length, TILE)}>
        {machines.map((machine) => (
          <li key={machine.id}>
            <Tile machine={machine} near={zoom === "near"} />
          </li>
        ))}
      </ul>
    );
  const islands = islandsOf(machines);
  return (
    <div className={css["plan"]} style={gridOf(islands.length, ISLAND)}>
      {islands.map(([island, own]) => (
        <section key={island} className={css["island"]} aria-label={island}>
          <h2>
            <b>{island}</b>
            <span className="num">
              {own.filter(({ lamp }) => lamp === "playing").length} / {own.length}
            </span>
          </h2>
          <ul style={gridOf(own.length, ISLAND)}>
            {own.map((machine) => (
              <li key={machine.id}>
                <Tile machine={machine} near={false} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function gridOf(count: number, tile: number): CSSProperties {
  const columns = columnsFor(count, tile);
  return { "--columns": columns, "--rows": Math.ceil(count / columns) } as CSSProperties;
}

function Tile({ machine, near }: { readonly machine: WallMachine; readonly near: boolean }) {
  const { t } = useText();
  const [status, word] = lampOf(machine);
  return (
    <div className={css["tile"]} data-needs={machine.needs || undefined} data-status={status}>
      <Still machine={machine} small={!near} />
      <p className={css["line"]}>
        <b>{machine.name}</b>
        {near ? <Lamp status={status}>{t(word)}</Lamp> : <BareLamp status={status} word={t(word)} />}
      </p>
    </div>
  );
}
