import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { SearchField } from "@longarm/ui/search-field.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import type { TextKey } from "../../shared/texts.ts";
import { clockText } from "../../shared/times.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./floor.module.css";
import { Stops } from "./stops.tsx";

type Zoom = "near" | "middle";
type Filter = "all" | "needs" | "playing" | "available" | "out";

const FILTERS: Readonly<Record<Filter, (machine: FloorMachine) => boolean>> = {
  all: () => true,
  needs: ({ needs }) => needs.length > 0,
  playing: ({ lamp }) => lamp === "playing" || lamp === "waiting",
  available: ({ lamp }) => lamp === "available",
  out: ({ lamp }) => lamp === "notAvailable",
};

/** All machines, live: what a person must look at has an edge in its lamp's colour. */
export function FloorPage() {
  const { t } = useText();
  const floor = useRead("floor");
  const rows = floor.data?.rows;
  const seated = rows?.filter(({ player }) => player !== null).length ?? 0;
  const [zoom, setZoom] = useState<Zoom>("near");
  const [filter, setFilter] = useState<Filter>("all");
  const [text, setText] = useState("");
  const search = useDeferredValue(text.trim().toLocaleLowerCase());
  const isFound = ({ name, id, player }: FloorMachine) =>
    [name, id, player?.username ?? ""].some((word) => word.toLocaleLowerCase().includes(search));
  return (
    <Page title={t("app.floor")} about={rows && t("floor.seatedOf", { seated, count: rows.length })}>
      <Stops />
      <div className={css["tools"]}>
        <Segment<Filter>
          label={t("floor.show")}
          value={filter}
          onChange={setFilter}
          options={(Object.keys(FILTERS) as Filter[]).map((value) => ({
            value,
            label: `${t(`floor.filter_${value}`)} ${rows?.filter(FILTERS[value]).length ?? ""}`,
          }))}
        />
        <SearchField
          label={t("floor.search")}
          clearLabel={t("app.clear")}
          value={text}
          maxLength={60}
          onText={setText}
          onClear={() => setText("")}
        />
        <Segment<Zoom>
          label={t("floor.zoom")}
          value={zoom}
          onChange={setZoom}
          options={[
            { value: "near", label: t("floor.near") },
            { value: "middle", label: t("floor.middle") },
          ]}
        />
      </div>
      <Loaded of={floor}>
        {({ rows: machines }) => {
          const shown = machines.filter(FILTERS[filter]).filter(isFound);
          if (shown.length === 0)
            return (
              <Empty icon="search" title={t("floor.none")} body={t("floor.noneAbout", { count: machines.length })} />
            );
          return (
            <ul className={css["wall"]} data-zoom={zoom}>
              {shown.map((machine) => (
                <Tile key={machine.id} machine={machine} zoom={zoom} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** The lamp of a machine and its words. */
export function lampOf({ lamp, lockup, mode, answers }: FloorMachine): readonly [LampStatus, TextKey] {
  if (mode === "stopped") return ["fault", "floor.stopped"];
  if (!answers) return ["off", "floor.silent"];
  if (lockup !== null) return ["fault", `floor.lockup_${lockup}` as TextKey];
  if (lamp === "notAvailable") return ["off", `floor.mode_${mode}` as TextKey];
  return [lamp, `floor.lamp_${lamp}` as TextKey];
}

function Tile({ machine, zoom }: { readonly machine: FloorMachine; readonly zoom: Zoom }) {
  const { t } = useText();
  const [status, word] = lampOf(machine);
  const { id, name, player, credit, lastWin, delayMs, needs, reservedFor } = machine;
  return (
    <li>
      <Link
        to={`${paths.floor}/${id}`}
        className={css["tile"]}
        data-needs={needs.length > 0 || undefined}
        data-status={status}
      >
        <Still machine={machine} />
        <span className={css["line"]}>
          <b>{name}</b>
          <Lamp status={status}>{t(word)}</Lamp>
        </span>
        {zoom === "near" && (
          <>
            <span className={css["line"]}>
              <span>
                {player?.username ??
                  (reservedFor === null ? t("floor.free") : t("floor.for", { name: reservedFor.username }))}
              </span>
              <span className="soft num">{delayMs === null ? "" : t("floor.delay", { ms: Math.round(delayMs) })}</span>
            </span>
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
          </>
        )}
      </Link>
    </li>
  );
}

/** Older than this a still is not shown as if it were now, ms. */
const FRESH_MS = 30_000;

/** The picture of a machine: what is old is dark, and carries its time. */
export function Still({ machine }: { readonly machine: FloorMachine }) {
  const { t } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const { id, name, stillTag, stillAt, answers } = machine;
  const at = stillAt === null ? null : Date.parse(stillAt);
  const isOld = at === null || !answers || clock.now() - at > FRESH_MS;
  return (
    <span className={css["still"]} data-old={isOld || undefined}>
      {stillTag !== null && (
        <img
          src={`/staff/v1/stills/${encodeURIComponent(id)}?tag=${encodeURIComponent(stillTag)}`}
          alt={t("floor.stillOf", { name })}
          loading="lazy"
          decoding="async"
        />
      )}
      {isOld && (
        <span className={css["stamp"]}>
          {at === null ? t("floor.noStill") : t("floor.stillAt", { time: clockText(at, venue.timeZone) })}
        </span>
      )}
    </span>
  );
}
