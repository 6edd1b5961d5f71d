import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { SearchField } from "@longarm/ui/search-field.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useMedia } from "@longarm/ui/use-media.ts";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue, useId, useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { StillsContext } from "../../shared/floor/still.tsx";
import type { Zoom } from "../../shared/floor/zoom.ts";
import { ZOOMS, zoomFor } from "../../shared/floor/zoom.ts";
import { useMay } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./floor.module.css";
import { Plan, Tiles } from "./floor-tiles.tsx";
import type { Filter, FloorView } from "./floor-view.ts";
import { FILTERS, matches, readView, searchOf, shownOf } from "./floor-view.ts";
import { Peek } from "./peek.tsx";
import { SavedViews } from "./saved-views.tsx";
import { Stops } from "./stops.tsx";
import { useStills } from "./use-stills.ts";

type Machines = AnswerOf<"floor">["rows"];

/** All machines, live: what a person must look at has an edge in its lamp's colour. */
export function FloorPage() {
  const { t } = useText();
  const floor = useRead("floor");
  const rows = floor.data?.rows;
  const [view, changeView] = useFloorView();
  const stills = useStills();
  const [peeked, setPeeked] = useState<string>();
  const deferred = useDeferredValue(view);
  const isPhone = useMedia("(max-width: 40rem)");
  const seated = rows?.filter(({ player }) => player !== null).length ?? 0;
  const watching = rows?.reduce((sum, { watchers }) => sum + watchers, 0) ?? 0;
  return (
    <Page title={t("app.floor")} about={rows && t("floor.seatedOf", { seated, count: rows.length, watching })}>
      <Stops />
      <Tools rows={rows ?? []} view={view} change={changeView} />
      <SavedViews view={view} change={changeView} />
      <StillsContext value={stills}>
        <Loaded of={floor}>
          {({ rows: machines }) => {
            const found = shownOf(machines, deferred);
            // Under a thumb what needs a person comes first.
            const shown = isPhone ? found.toSorted((one, other) => other.needs.length - one.needs.length) : found;
            if (shown.length === 0) return <NothingFits count={machines.length} view={view} change={changeView} />;
            const zoom = deferred.zoom ?? zoomFor(shown.length);
            const Form = zoom === "plan" ? Plan : Tiles;
            return (
              <>
                <Form machines={shown} zoom={zoom} peek={setPeeked} />
                <Peek shown={shown} id={peeked} show={setPeeked} />
              </>
            );
          }}
        </Loaded>
      </StillsContext>
    </Page>
  );
}

/** The view of the address; a change of it leaves no trail of steps back. */
function useFloorView(): readonly [FloorView, (change: Partial<FloorView>) => void] {
  const view = readView(useSearch({ strict: false }) as Readonly<Record<string, unknown>>);
  const navigate = useNavigate();
  return [
    view,
    (change) => void navigate({ to: paths.floor, search: searchOf({ ...view, ...change }) as never, replace: true }),
  ];
}

function NothingFits(props: {
  readonly count: number;
  readonly view: FloorView;
  readonly change: (view: FloorView) => void;
}) {
  const { t } = useText();
  if (props.count === 0) return <Empty icon="machine" title={t("floor.empty")} body={t("floor.emptyAbout")} />;
  return (
    <Empty icon="search" title={t("floor.none")} body={t("floor.noneAbout", { count: props.count })}>
      <button
        type="button"
        className={css["showAll"]}
        onClick={() => props.change({ ...props.view, show: "all", group: "", q: "" })}
      >
        {t("floor.showAll")}
      </button>
    </Empty>
  );
}

const LAMP_OF: Readonly<Partial<Record<Filter, LampStatus>>> = {
  playing: "playing",
  available: "available",
  waiting: "waiting",
  out: "off",
  needs: "fault",
};

function Tools(props: {
  readonly rows: Machines;
  readonly view: FloorView;
  readonly change: (change: Partial<FloorView>) => void;
}) {
  const { rows, view, change } = props;
  const { t } = useText();
  const mayAdmit = useMay("wall.admit");
  const groups = [...new Set(rows.flatMap(({ group }) => (group === null ? [] : [group])))].sort();
  return (
    <div className={css["tools"]}>
      <Chips rows={rows} view={view} change={change} />
      <div className={css["where"]}>
        {groups.length > 0 && (
          <select
            aria-label={t("floor.group")}
            value={view.group}
            onChange={({ target }) => change({ group: target.value })}
          >
            <option value="">{t("floor.everyGroup")}</option>
            {groups.map((group) => (
              <option key={group}>{group}</option>
            ))}
          </select>
        )}
        <div className={css["search"]}>
          <Search q={view.q} change={(q) => change({ q })} />
        </div>
        <Segment<Zoom>
          label={t("floor.zoom")}
          value={view.zoom ?? zoomFor(shownOf(rows, view).length)}
          onChange={(zoom) => change({ zoom })}
          options={ZOOMS.map((value) => ({ value, label: t(`floor.${value}`) }))}
        />
        {mayAdmit && (
          <Link to={paths.displays} className={css["square"]} title={t("app.displays")} aria-label={t("app.displays")}>
            <ConsoleIcon name="screen" />
          </Link>
        )}
      </div>
    </div>
  );
}

/** What is typed is the field's own while it has the focus: the address follows a moment later. */
function Search({ q, change }: { readonly q: string; readonly change: (q: string) => void }) {
  const { t } = useText();
  const [typed, setTyped] = useState<string>();
  function type(text: string): void {
    setTyped(text);
    change(text);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only follows the focus of the field inside.
    <span onFocus={() => setTyped(q)} onBlur={() => setTyped(undefined)}>
      <SearchField
        label={t("floor.search")}
        clearLabel={t("app.clear")}
        value={typed ?? q}
        maxLength={60}
        onText={type}
        onClear={() => type("")}
      />
    </span>
  );
}

/** One of several filters, each with its lamp and how many it fits. */
function Chips(props: {
  readonly rows: Machines;
  readonly view: FloorView;
  readonly change: (change: Partial<FloorView>) => void;
}) {
  const { t } = useText();
  const name = useId();
  return (
    <div className={css["chips"]} role="radiogroup" aria-label={t("floor.show")}>
      {FILTERS.map((filter) => {
        const status = LAMP_OF[filter];
        const words = t(`floor.filter_${filter}`);
        return (
          <label key={filter} className={css["chip"]}>
            <input
              type="radio"
              name={name}
              checked={props.view.show === filter}
              onChange={() => props.change({ show: filter })}
            />
            {status === undefined ? (
              words
            ) : (
              <Lamp status={status} quiet>
                {words}
              </Lamp>
            )}{" "}
            <span className="num soft">{props.rows.filter((row) => matches(filter, row)).length}</span>
          </label>
        );
      })}
    </div>
  );
}
