import { Popover } from "@base-ui/react/popover";
import type { Me } from "@longarm/contract/staff-sign-in";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { LanguageChoice } from "@longarm/ui/language-choice.tsx";
import { Logo, LogoMark } from "@longarm/ui/logo.tsx";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { Bell, Notices } from "../features/notices/bell.tsx";
import { PaletteKey } from "../features/sign-in/gate.tsx";
import { useConsole } from "../shared/console.ts";
import type { Desk } from "../shared/desk.ts";
import { DeskContext, useKeys } from "../shared/desk.ts";
import { useMe } from "../shared/me.ts";
import { paths } from "../shared/paths.ts";
import { roleText } from "../shared/problem-text.ts";
import { ConsoleIcon } from "../shared/ui/icons.tsx";
import { BarContext, Page } from "../shared/ui/page.tsx";
import { Empty, Face } from "../shared/ui/panel.tsx";
import { failureText } from "../shared/ui/passkey-try.ts";
import { useRead } from "../shared/ui/queries.ts";
import { pagesOf } from "./navigation.ts";
import css from "./shell.module.css";

const Palette = lazy(() => import("../features/palette/palette.tsx"));
const KeysSheet = lazy(() => import("../features/palette/keys-sheet.tsx"));

/** The rail with the person's pages beside the page itself; on a phone it is a row of tabs below. The palette lies over both. */
export function Shell() {
  const { t } = useText();
  const { texts } = useConsole();
  const me = useMe();
  const [open, setOpen] = useState<"palette" | "keys">();
  function show(what: "palette" | "keys"): void {
    void texts.need("palette").then(() => setOpen(what));
  }
  const desk: Desk = { pages: placesOf(me), find: () => show("palette"), showKeys: () => show("keys") };
  return (
    <DeskContext value={desk}>
      <Notices>
        <BarContext value={<Bell />}>
          <div className={css["console"]}>
            <a className={css["skip"]} href="#page">
              {t("app.skipToContent")}
            </a>
            <Rail />
            <div className={css["bench"]}>
              <Outlet />
            </div>
          </div>
        </BarContext>
      </Notices>
      <ShellKeys desk={desk} />
      <Suspense fallback={null}>
        {open === "palette" && <Palette open close={() => setOpen(undefined)} />}
        {open === "keys" && <KeysSheet open close={() => setOpen(undefined)} />}
      </Suspense>
    </DeskContext>
  );
}

/** Where a person may go: the pages of the rail, and those that are reached from a page. */
function placesOf(me: Me): Desk["pages"] {
  const pages = pagesOf(me).map(({ path, word, key }) => ({
    path,
    word,
    keys: key === undefined ? undefined : `g ${key}`,
  }));
  return [
    ...pages,
    ...(me.permissions.includes("wall.admit") ? [{ path: paths.displays, word: "app.displays" as const }] : []),
    { path: paths.account, word: "app.account" as const },
  ];
}

/** The keys that work on every page. */
function ShellKeys({ desk }: { readonly desk: Desk }) {
  const { t } = useText();
  const { keyboard } = useConsole();
  const navigate = useNavigate();
  useKeys([
    { keys: "?", label: t("app.allKeys"), run: desk.showKeys },
    ...desk.pages.flatMap(({ path, word, keys }) =>
      keys === undefined ? [] : [{ keys, label: t(word), run: () => void navigate({ to: path }) }],
    ),
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        desk.find();
      } else keyboard.press(event);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [desk, keyboard]);
  return null;
}

function Rail() {
  const { t } = useText();
  const me = useMe();
  const waiting = useRead("approvals", { query: { which: "forMe" } });
  const tasks = useRead("tasks", {}, me.permissions.includes("floor.see"));
  const counts: Readonly<Record<string, number>> = {
    [paths.approvals]: waiting.data?.rows.filter(({ maySign }) => maySign).length ?? 0,
    // What waits for this person: theirs, and what is unassigned.
    [paths.today]: tasks.data?.rows.filter(({ owner }) => owner === null || owner.id === me.person.id).length ?? 0,
  };
  return (
    <nav className={css["rail"]} aria-label={t("app.console")}>
      <Link to={paths.start} className={css["logo"]}>
        <Logo />
        <LogoMark />
      </Link>
      <p className={css["venue"]}>
        <span aria-hidden="true">{[...me.venue.name][0]}</span>
        <b>{me.venue.name}</b>
      </p>
      <ul className={css["pages"]}>
        {pagesOf(me).map(({ path, icon, word }) => (
          <li key={path}>
            <Link to={path} title={t(word)} activeProps={{ "aria-current": "page" }}>
              <ConsoleIcon name={icon} />
              <span>{t(word)}</span>
              {(counts[path] ?? 0) > 0 && (
                <b className={css["badge"]}>
                  <span aria-hidden="true">{counts[path]}</span>
                  <span className="visually-hidden">{t("app.waiting", { count: counts[path] ?? 0 })}</span>
                </b>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <OwnMenu />
    </nav>
  );
}

/** Who is signed in, and what concerns this person and this screen. */
function OwnMenu() {
  const { sessions, texts, messages } = useConsole();
  const speech = useText();
  const { t } = speech;
  const { person } = useMe();
  const [open, setOpen] = useState(false);
  const roles = person.roles.map((role) => roleText(speech, role)).join(", ");
  const leave = () => sessions.signOut().catch((error: unknown) => messages.say("bad", failureText(speech, error)));
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={css["me"]}>
        <Face name={person.name} />
        <span>
          <b>{person.name}</b>
          <small>{roles}</small>
        </span>
        <span className="visually-hidden">{t("app.ownMenu")}</span>
        <ConsoleIcon name="more" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={css["place"]} side="top" align="start" sideOffset={8}>
          <Popover.Popup className={css["menu"]} aria-label={person.name}>
            <Link to={paths.account} className={css["line"]} onClick={() => setOpen(false)}>
              <Icon name="player" />
              {t("app.account")}
            </Link>
            <button type="button" className={css["line"]} onClick={() => void sessions.lock()}>
              <Icon name="lock" />
              {t("app.lockNow")}
            </button>
            <button type="button" className={css["line"]} onClick={() => void leave()}>
              <Icon name="logout" />
              {t("app.signOut")}
            </button>
            <div className={css["choices"]}>
              <LanguageChoice onLanguage={texts.speak} />
              <PaletteKey />
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

export function NoSuchPage() {
  const { t } = useText();
  return (
    <Page title={t("app.noPage")}>
      <Empty icon="search" title={t("app.noPage")} body={t("app.noPageAbout")}>
        <Link to={paths.start}>{t("app.toStart")}</Link>
      </Empty>
    </Page>
  );
}

/** A page whose files could not be had, or that threw: loading the console anew gets the new ones. */
export function NotLoadedPage() {
  const { t } = useText();
  return (
    <Page title={t("app.notLoaded")}>
      <Empty icon="warning" title={t("app.notLoaded")} body={t("app.awayAbout")}>
        <Key kind="line" onClick={() => location.reload()}>
          {t("app.tryAgain")}
        </Key>
      </Empty>
    </Page>
  );
}
