import type { SettingGroup, VenueKey } from "@longarm/contract/venue-settings";
import { SETTING_GROUPS, VENUE_KEYS } from "@longarm/contract/venue-settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { SearchField } from "@longarm/ui/search-field.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../shared/me.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Note, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ChangesPanel } from "./changes-panel.tsx";
import type { Draft, Raw, SettingsNow } from "./draft.ts";
import { changesOf, draftOfJson, jsonOf, shownOf, withSetting } from "./draft.ts";
import { HistoryPanel } from "./history-panel.tsx";
import { MarketPanel } from "./market-panel.tsx";
import { ServerPanel } from "./server-panel.tsx";
import { SettingRow } from "./setting-row.tsx";
import css from "./settings.module.css";
import { TermsPanel } from "./terms-panel.tsx";

const GROUPS = Object.keys(SETTING_GROUPS) as SettingGroup[];
type Chosen = SettingGroup | (typeof OTHERS)[number];
/** What is set here beside the settings themselves. */
const OTHERS = ["market", "terms", "server"] as const;
const isOther = (chosen: Chosen): chosen is (typeof OTHERS)[number] => (OTHERS as readonly string[]).includes(chosen);

/** What the venue sets, by its schema: written, compared, saved as a version, rolled back. The server's own is shown beside it. */
export function SettingsPage() {
  const { t } = useText();
  const settings = useRead("settings");
  const number = settings.data?.number;
  const about = number === undefined || number === 0 ? t("settings.aboutNone") : t("settings.about", { number });
  return (
    <Page title={t("app.settings")} about={number === undefined ? undefined : about}>
      {settings.data === undefined ? (
        <Panel title={t("app.settings")}>
          <Loaded of={settings}>{() => null}</Loaded>
        </Panel>
      ) : (
        <Settings now={settings.data} />
      )}
    </Page>
  );
}

/** What a person has written, and the version that they saw when they began. */
function useDraft(now: SettingsNow) {
  const [draft, setDraft] = useState<Draft>({});
  const [begunAt, setBegunAt] = useState(now.number);
  const isEmpty = Object.keys(draft).length === 0;
  return {
    draft,
    /** What is written belongs to an older version than the newest. */
    isStale: !isEmpty && begunAt !== now.number,
    put(next: Draft): void {
      if (isEmpty) setBegunAt(now.number);
      setDraft(next);
    },
    rebase(): void {
      setBegunAt(now.number);
      // What somebody else has saved alike is no change any more.
      setDraft(
        Object.entries(draft).reduce<Draft>((all, [key, raw]) => withSetting(now, all, key as VenueKey, raw), {}),
      );
    },
    clear: () => setDraft({}),
  };
}

function Settings({ now }: { readonly now: SettingsNow }) {
  const { t } = useText();
  const mayChange = useMay("settings.change");
  const [chosen, choose] = useChosen();
  const [words, setWords] = useState("");
  const [as, setAs] = useState<"form" | "json">("form");
  const { draft, isStale, put, rebase, clear } = useDraft(now);
  const changes = changesOf(now, draft);
  const found =
    words.trim() === ""
      ? undefined
      : VENUE_KEYS.filter((key) =>
          `${key} ${t(`settings.about_${key}`)}`.toLowerCase().includes(words.trim().toLowerCase()),
        );
  const keys: readonly VenueKey[] = found ?? (isOther(chosen) ? [] : SETTING_GROUPS[chosen]);
  const title = found === undefined ? t(`settings.group_${chosen}`) : t("settings.found");
  return (
    <div className={css["page"]}>
      <nav className={css["nav"]} aria-label={t("settings.groups")}>
        <SearchField
          label={t("settings.find")}
          clearLabel={t("app.clear")}
          value={words}
          maxLength={60}
          onText={setWords}
          onClear={() => setWords("")}
        />
        <Groups
          chosen={found === undefined ? chosen : undefined}
          changed={changes.map(({ key }) => key)}
          choose={(group) => {
            setWords("");
            choose(group);
          }}
        />
        <Segment
          label={t("settings.as")}
          value={as}
          options={[
            { value: "form", label: t("settings.form") },
            { value: "json", label: t("settings.json") },
          ]}
          onChange={setAs}
        />
      </nav>
      <div className={css["main"]}>
        {now.holds < now.number && (
          <Note kind="wait">{t("settings.holdsOther", { number: now.number, holds: now.holds })}</Note>
        )}
        {found === undefined && isOther(chosen) ? (
          <Other which={chosen} now={now} mayChange={mayChange} />
        ) : (
          <Panel title={title} foot={`${t("settings.schema")} ${t("settings.timesElsewhere")}`}>
            {keys.length === 0 && <Empty title={t("settings.nothingFound")} />}
            {as === "json" ? (
              <GroupJson key={`${title} ${now.number}`} now={now} draft={draft} keys={keys} put={put} />
            ) : (
              <div className={css["sets"]}>
                {keys.map((key) => (
                  <SettingRow
                    key={key}
                    name={key}
                    now={now}
                    raw={shownOf(now, draft, key)}
                    change={changes.find((change) => change.key === key)}
                    mayChange={mayChange}
                    onRaw={(raw: Raw) => put(withSetting(now, draft, key, raw))}
                  />
                ))}
              </div>
            )}
          </Panel>
        )}
      </div>
      <div className={css["side"]}>
        <ChangesPanel now={now} changes={changes} isStale={isStale} rebase={rebase} clear={clear} />
        <HistoryPanel now={now} mayChange={mayChange} />
      </div>
    </div>
  );
}

/** The group that is open, which the address names. */
function useChosen(): readonly [Chosen, (group: Chosen) => void] {
  const { group }: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const known = ([...GROUPS, ...OTHERS] as readonly Chosen[]).find((one) => one === group);
  return [
    known ?? "money",
    (next) => void navigate({ to: ".", search: { group: next } as never, replace: true, resetScroll: false }),
  ];
}

function Other(props: {
  readonly which: (typeof OTHERS)[number];
  readonly now: SettingsNow;
  readonly mayChange: boolean;
}) {
  if (props.which === "market") return <MarketPanel mayChange={props.mayChange} />;
  return props.which === "terms" ? <TermsPanel mayChange={props.mayChange} /> : <ServerPanel now={props.now} />;
}

function Groups(props: {
  readonly chosen: Chosen | undefined;
  readonly changed: readonly VenueKey[];
  readonly choose: (group: Chosen) => void;
}) {
  const { t } = useText();
  const countIn = (group: Chosen): number =>
    isOther(group)
      ? 0
      : props.changed.filter((key) => (SETTING_GROUPS[group] as readonly VenueKey[]).includes(key)).length;
  return (
    <ul>
      {[...GROUPS, ...OTHERS].map((group) => {
        const changed = countIn(group);
        return (
          <li key={group}>
            <button
              type="button"
              aria-current={group === props.chosen || undefined}
              onClick={() => props.choose(group)}
            >
              <span>{t(`settings.group_${group}`)}</span>
              {changed > 0 ? (
                <b className={css["count"]}>{changed}</b>
              ) : (
                !isOther(group) && <small className="num">{SETTING_GROUPS[group].length}</small>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The settings of a group as one JSON text, with the same checks. */
function GroupJson(props: {
  readonly now: SettingsNow;
  readonly draft: Draft;
  readonly keys: readonly VenueKey[];
  readonly put: (draft: Draft) => void;
}) {
  const { t } = useText();
  const { now, draft, keys, put } = props;
  const mayChange = useMay("settings.change");
  const [text, setText] = useState(() => jsonOf(now, draft, keys));
  const isRight = draftOfJson(now, draft, keys, text) !== undefined;
  function write(next: string): void {
    setText(next);
    const read = draftOfJson(now, draft, keys, next);
    if (read !== undefined) put(read);
  }
  return (
    <div className={css["whole"]}>
      <textarea
        aria-label={t("settings.jsonOf")}
        aria-invalid={!isRight || undefined}
        className="mono"
        dir="ltr"
        rows={18}
        spellCheck={false}
        readOnly={!mayChange}
        value={text}
        onChange={({ target }) => write(target.value)}
      />
      {!isRight && (
        <p className={css["wrong"]} role="alert">
          {t("settings.jsonWrong")}
        </p>
      )}
    </div>
  );
}
