import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useNavigate } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { use, useEffect, useId, useRef, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { DeskContext } from "../../shared/desk.ts";
import { useMay } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import type { TextKey } from "../../shared/texts.ts";
import { useRead } from "../../shared/ui/queries.ts";
import type { Entry } from "./find.ts";
import { findEntries } from "./find.ts";
import css from "./palette.module.css";

/** Find or do: a machine, a player, a page or an act, by its words. What a role may not do is not there; an act opens its sheet. */
export default function Palette({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const { t } = useText();
  const field = useRef<HTMLInputElement>(null);
  return (
    <Sheet
      open={open}
      bareTitle
      title={t("palette.title")}
      className={css["sheet"] ?? ""}
      initialFocus={() => field.current ?? true}
      onClose={close}
    >
      {open && <Finder field={field} close={close} />}
    </Sheet>
  );
}

function Finder(props: { readonly field: { current: HTMLInputElement | null }; readonly close: () => void }) {
  const { field, close } = props;
  const { t } = useText();
  const list = useId();
  const [text, setText] = useState("");
  // Not deferred: Enter runs what the typed words find, however fast they are typed.
  const question = text.trim();
  const found = findEntries(useEntries(question), question);
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, found.length - 1);

  function run(entry: Entry | undefined): void {
    if (entry === undefined) return;
    close();
    entry.run();
  }
  function onKeyDown(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === "Enter" && !event.nativeEvent.isComposing) run(found[at]);
    else if (step === undefined || found.length === 0) return;
    else setChosen((at + step + found.length) % found.length);
    event.preventDefault();
  }

  return (
    <>
      <input
        ref={field}
        className={css["field"]}
        role="combobox"
        aria-label={t("palette.title")}
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={found[at] === undefined ? undefined : `${list}-${at}`}
        autoComplete="off"
        spellCheck={false}
        maxLength={80}
        placeholder={t("palette.placeholder")}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Found list={list} found={found} at={at} run={run} question={question} />
      <p className={css["foot"]}>
        <kbd>↑</kbd> <kbd>↓</kbd> {t("palette.move")} <kbd>↵</kbd> {t("palette.go")} <kbd>Esc</kbd> {t("app.close")}
      </p>
    </>
  );
}

function Found(props: {
  readonly list: string;
  readonly found: readonly Entry[];
  readonly at: number;
  readonly question: string;
  readonly run: (entry: Entry) => void;
}) {
  const { list, found, at, run } = props;
  const { t } = useText();
  const chosen = `${list}-${at}`;
  useEffect(() => {
    document.getElementById(chosen)?.scrollIntoView?.({ block: "nearest" });
  }, [chosen]);
  if (found.length === 0)
    return (
      <p className={css["none"]} role="status">
        {t("palette.none", { question: props.question })}
      </p>
    );
  return (
    <div className={css["list"]} role="listbox" id={list} aria-label={t("palette.found")}>
      {[...Map.groupBy(found, ({ group }) => group)].map(([group, own]) => (
        // biome-ignore lint/a11y/useSemanticElements: a list box has groups of options, and no fieldset.
        <div key={group} role="group" aria-label={t(`palette.group_${group}`)}>
          <p className={css["group"]} aria-hidden="true">
            {t(`palette.group_${group}`)}
          </p>
          {own.map((entry) => {
            const index = found.indexOf(entry);
            return (
              // The field keeps the focus and the arrows; a pointer may choose too.
              <div
                key={entry.id}
                id={`${list}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                className={css["entry"]}
                onClick={() => run(entry)}
                onKeyDown={({ key }) => key === "Enter" && run(entry)}
              >
                <b>{entry.label}</b>
                {entry.about !== undefined && <span className="soft">{entry.about}</span>}
                {entry.keys !== undefined && entry.keys !== "" && <Keys keys={entry.keys} />}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

/** "g f" as two caps. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className={css["keys"]} dir="ltr">
      {keys.split(" ").map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may come twice.
        <kbd key={`${key} ${index}`}>{key.length === 1 ? key.toUpperCase() : key}</kbd>
      ))}
    </span>
  );
}

/** Letters after which players are looked for: one letter fits nearly everybody. */
const PLAYER_LETTERS_MIN = 2;

/** Everything that this person may reach or do now. */
function useEntries(question: string): readonly Entry[] {
  const { t } = useText();
  const go = useGo();
  const here = useHere();
  const pages = (use(DeskContext)?.pages ?? []).map(
    ({ path, word, keys }): Entry => ({
      id: `page ${path}`,
      group: "pages",
      label: t(word),
      words: path,
      ...(keys !== undefined && { keys }),
      run: () => go(path),
    }),
  );
  return [...here, ...useMachineEntries(question), ...usePlayerEntries(question), ...pages, ...useOwnEntries()];
}

function useGo() {
  const navigate = useNavigate();
  return (to: string, search?: Readonly<Record<string, string>>) =>
    void navigate({ to, ...(search && { search: search as never }) });
}

/** What the page on the screen offers. */
function useHere(): Entry[] {
  const offered = useLive(useConsole().keyboard.acts);
  return offered
    .filter(({ keys }) => !keys.startsWith("g "))
    .map(({ keys, label, run }) => ({ id: `here ${keys} ${label}`, group: "here", label, words: "", keys, run }));
}

/** What may be done with a machine in each mode: the same as its page offers. */
const MACHINE_ACTS = ["drain", "close", "open", "endSession"] as const;
type MachineAct = (typeof MACHINE_ACTS)[number];
const FITS: Readonly<Record<MachineAct, (machine: FloorMachine) => boolean>> = {
  drain: ({ mode }) => mode === "open",
  close: ({ mode }) => mode === "open",
  open: ({ mode }) => mode === "disabled" || mode === "drained",
  endSession: ({ player }) => player !== null,
};

function useMachineEntries(question: string): Entry[] {
  const { t } = useText();
  const go = useGo();
  const may = useMay("floor.see");
  const mayOperate = useMay("machine.operate");
  const floor = useRead("floor", {}, may);
  const rows = floor.data?.rows ?? [];
  const machines = rows.map(
    (machine): Entry => ({
      id: `machine ${machine.id}`,
      group: "machines",
      label: machine.name,
      words: `${machine.id} ${machine.brand} ${machine.group ?? ""} ${machine.player?.username ?? ""}`,
      about: [machine.player?.username, machine.group].filter(Boolean).join(", "),
      run: () => go(`${paths.floor}/${machine.id}`),
    }),
  );
  // Without a question two hundred machines' acts would be a list too long to read.
  if (question === "" || !mayOperate) return machines;
  const acts = rows.flatMap((machine) =>
    MACHINE_ACTS.filter((act) => FITS[act](machine)).map(
      (act): Entry => ({
        id: `${act} ${machine.id}`,
        group: "acts",
        label: t(`palette.${act}` as TextKey, { name: machine.name }),
        words: `${machine.id} ${t(`palette.words_${act}` as TextKey)}`,
        run: () => go(`${paths.floor}/${machine.id}`, { act }),
      }),
    ),
  );
  return [...machines, ...acts];
}

function usePlayerEntries(question: string): Entry[] {
  const go = useGo();
  const may = useMay("player.find") && question.length >= PLAYER_LETTERS_MIN;
  const sees = useMay("player.see");
  const players = useRead("players", { query: { search: question, limit: 6 } }, may);
  if (!may) return [];
  return (players.data?.rows ?? []).map(({ player, name }) => ({
    id: `player ${player.id}`,
    group: "players",
    label: name ?? player.username,
    // The platform found it by whatever it knows.
    words: `${player.username} ${question}`,
    about: player.username,
    run: () => go(sees ? `${paths.players}/${player.id}` : paths.players),
  }));
}

/** What concerns this person and this screen, and acts of no row. */
function useOwnEntries(): Entry[] {
  const { t } = useText();
  const { sessions, palette, changePalette, texts } = useConsole();
  const now = useLive(palette);
  const other = now === "night" ? "daylight" : "night";
  const go = useGo();
  const mayRun = useMay("promotion.run");
  const entry = (id: string, label: string, run: () => void): Entry => ({
    id,
    group: "acts",
    label,
    words: t("palette.words_own"),
    run,
  });
  const write: Entry = {
    id: "add campaign",
    group: "acts",
    label: t("palette.addCampaign"),
    words: t("palette.words_addCampaign"),
    run: () => go(paths.promotions, { act: "add" }),
  };
  return [
    ...(mayRun ? [write] : []),
    entry("lock", t("app.lockNow"), () => void sessions.lock()),
    entry("sign-out", t("app.signOut"), () => void sessions.signOut()),
    entry("palette", t(`app.${other}`), () => changePalette(other)),
    ...(["tr", "en", "ar"] as const).map((language) =>
      entry(`language ${language}`, t(`palette.language_${language}`), () => void texts.speak(language)),
    ),
  ];
}
