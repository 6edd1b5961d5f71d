import { breakCalls } from "@longarm/contract/player-breaks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { getRouteApi, Link, useNavigate, useRouteContext } from "@tanstack/react-router";
import { useEffect } from "react";
import { ClosedGate } from "../../features/breaks/closed-gate.tsx";
import { HelpPlaces } from "../../features/help/help-panel.tsx";
import { ContactLink } from "../../shared/contacts/contacts.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { renewToken } from "../start/sign-in.ts";

const route = getRouteApi("/closed");
/** The sign-in is questioned so soon after the end of a break, and then again after each of these, ms. */
const SOON_MS = 1_000;
const AGAIN_MS = 10_000;
/** Timers of browsers count no further, ms. */
const TIMER_MS_MAX = 2_147_483_647;

/** Where lobby and game lead while a break holds. */
export function ClosedRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const link = route.useLoaderData();
  const { t } = useText();
  const navigate = useNavigate();
  const signedIn = useLive(app.auth.state);
  const wallet = useLive(link.wallet);
  const closed = signedIn.is === "guest" ? undefined : signedIn.player.playClosed;
  const opens = closed === undefined ? undefined : Date.parse(closed.opensAt ?? closed.until);

  useEffect(() => {
    if (closed === undefined) void navigate({ to: paths.lobby, replace: true });
  }, [closed, navigate]);
  const opensByItself = opens !== undefined && !(closed?.isOver === true && closed.opensAt === undefined);
  useEffect(() => {
    if (!opensByItself) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let left = false;
    // The platform's clock decides. Where this computer's is ahead, the first answer still says that play is closed.
    const wait = (leastMs: number): void => {
      const waitMs = Math.max(leastMs, opens - app.clock.now() + SOON_MS);
      const look = () => void renewToken(app).then(() => left || wait(AGAIN_MS));
      timer = setTimeout(look, Math.min(waitMs, TIMER_MS_MAX));
    };
    wait(SOON_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [opens, opensByItself, app]);

  if (closed === undefined) return null;
  async function reopen(): Promise<void> {
    const answer = await app.api.make(breakCalls.reopenPlay);
    if (!answer.ok) app.messages.say("bad", failureText(app.texts.speech.getState(), answer.failure));
    await renewToken(app);
  }
  return (
    <ClosedGate
      closed={closed}
      wallet={wallet?.balance}
      onReopen={reopen}
      help={<HelpPlaces helpList={app.settings.helpList} />}
      ways={
        <>
          <Link to={paths.transactions} className={keyClass({ big: true })}>
            {t("breaks.statement")}
          </Link>
          <Link to={paths.slotSessions} className={keyClass({ kind: "bare", big: true })}>
            {t("breaks.games")}
          </Link>
          {app.settings.contacts.slice(0, 1).map((contact) => (
            <ContactLink key={JSON.stringify(contact)} contact={contact} kind="bare" big />
          ))}
          <Link to={paths.logout} className={keyClass({ kind: "bare", big: true })}>
            {t("breaks.logout")}
          </Link>
        </>
      }
    />
  );
}
