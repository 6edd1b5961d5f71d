import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { TextsContext, useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { MessageHost } from "@longarm/ui/message-host.tsx";
import { QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Component, lazy, Suspense, useState, useSyncExternalStore } from "react";
import { Gate } from "../features/sign-in/gate.tsx";
import { LockPage } from "../features/sign-in/lock-page.tsx";
import { SignInPage } from "../features/sign-in/sign-in-page.tsx";
import { ConsoleContext, useConsole } from "../shared/console.ts";
import { paths } from "../shared/paths.ts";
import type { Started } from "./start.ts";

/** What comes after the sign-in loads after it, with the calls that it makes. */
const Pages = lazy(async () => {
  const [pages] = await Promise.all([import("./pages.tsx"), import("@longarm/contract/staff")]);
  return pages;
});
/** These are opened by a link of an invitation, or of the directory. */
const InvitationPage = lazy(async () => {
  const { InvitationPage } = await import("../features/sign-in/invitation-page.tsx");
  return { default: InvitationPage };
});
const DirectoryPage = lazy(async () => {
  const { DirectoryPage } = await import("../features/sign-in/directory-page.tsx");
  return { default: DirectoryPage };
});
const WallPage = lazy(() => import("../features/wall/wall-page.tsx"));

export function RootView({ started }: { readonly started: Started }) {
  return (
    <TextsContext value={started.console.texts}>
      <ConsoleContext value={started.console}>
        <QueryClientProvider client={started.queries}>
          <CSPProvider disableStyleElements>
            <Spoken />
          </CSPProvider>
        </QueryClientProvider>
      </ConsoleContext>
    </TextsContext>
  );
}

function Spoken() {
  const { messages } = useConsole();
  const { language } = useText();
  return (
    <DirectionProvider direction={language === "ar" ? "rtl" : "ltr"}>
      <Unbroken>
        <Suspense fallback={null}>
          <Whole />
        </Suspense>
      </Unbroken>
      <MessageHost messages={messages} />
    </DirectionProvider>
  );
}

/** Nothing of a person's pages is drawn unless that person is here. */
function Whole() {
  const { sessions } = useConsole();
  const session = useLive(sessions.state);
  const invitation = useInvitation();
  const isBack = useAddress(isDirectory);
  if (isWall()) return <WallPage />;
  if (invitation !== null) return <InvitationPage key={invitation} token={invitation} done={leavePath} />;
  if (session.is === "starting") return null;
  if (session.is === "away") return <NotReached />;
  if (isBack) return <DirectoryPage locked={session.is === "locked"} done={leavePath} />;
  if (session.is === "guest") return <SignInPage ended={session.ended} />;
  const { is, me } = session;
  return is === "locked" ? <LockPage me={me} /> : <Pages key={me.person.id} />;
}

/** A wall display has a token of its own, and no person. */
const isWall = (): boolean => location.pathname === paths.wall;

/** Files that could not be had: the network is away, or this page is older than the platform. Loading it anew gets the new ones. */
class Unbroken extends Component<{ readonly children: ReactNode }, { readonly broken: boolean }> {
  override state = { broken: false };
  static getDerivedStateFromError() {
    return { broken: true };
  }
  override render() {
    return this.state.broken ? <NotLoaded /> : this.props.children;
  }
}

function NotLoaded() {
  const { t } = useText();
  return (
    <Gate plate={t("app.console")} title={t("app.notLoaded")} about={t("app.awayAbout")}>
      <Key kind="brass" onClick={() => location.reload()}>
        {t("app.tryAgain")}
      </Key>
    </Gate>
  );
}

function NotReached() {
  const { sessions } = useConsole();
  const { t } = useText();
  const [busy, setBusy] = useState(false);
  async function again(): Promise<void> {
    setBusy(true);
    await sessions.refresh();
    setBusy(false);
  }
  return (
    <Gate plate={t("app.console")} title={t("app.awayTitle")} about={t("app.awayAbout")}>
      <Key kind="brass" busy={busy} onClick={() => void again()}>
        {t("app.tryAgain")}
      </Key>
    </Gate>
  );
}

const TOKEN = /^#([A-Za-z0-9_-]{20,100})$/;

/** The token of a one-time link: behind the #, so that no server ever has it in a log. */
const useInvitation = (): string | null => useAddress(invitationIn);
const invitationIn = (): string | null =>
  location.pathname === paths.invitation ? (TOKEN.exec(location.hash)?.[1] ?? "") : null;
const isDirectory = (): boolean => location.pathname === paths.directory;

/** Something of the page's address, read again when that changes. */
function useAddress<T>(read: () => T): T {
  return useSyncExternalStore((changed) => {
    for (const event of MOVES) addEventListener(event, changed);
    return () => {
      for (const event of MOVES) removeEventListener(event, changed);
    };
  }, read);
}
const MOVES = ["hashchange", "popstate"] as const;

function leavePath(): void {
  history.replaceState(null, "", "/");
  dispatchEvent(new PopStateEvent("popstate"));
}
