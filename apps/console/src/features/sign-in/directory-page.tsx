import type { Me } from "@longarm/contract/staff-sign-in";
import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useEffect, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { paths } from "../../shared/paths.ts";
import { failureText } from "../../shared/ui/passkey-try.ts";
import { DirectoryWay } from "./directory-way.tsx";
import { Gate, Way } from "./gate.tsx";
import { PasskeyForm } from "./passkey-form.tsx";

type Outcome =
  | { readonly is: "waiting" }
  | { readonly is: "failed"; readonly error: unknown }
  /** An invitation was accepted: the first passkey may be made in this sign-in alone. */
  | { readonly is: "linked"; readonly me: Me };

/** The way back from the directory: hands its answer to the platform, which signs in or unlocks. */
export function DirectoryPage({ locked, done }: { readonly locked: boolean; readonly done: () => void }) {
  const { api, sessions } = useConsole();
  const speech = useText();
  const { t } = speech;
  const [isUnlock] = useState(locked);
  const [outcome, setOutcome] = useState<Outcome>({ is: "waiting" });
  useEffect(() => {
    const answer = takeAnswer();
    // The page was loaded anew: what came back was used before.
    if (answer === "") return done();
    async function finish(): Promise<void> {
      const me = await api.call(isUnlock ? "unlockDirectoryFinish" : "directoryFinish", { body: { answer } });
      sessions.enter(me);
      if (me.signIn.how === "invitation" && me.passkeys === 0 && !isUnlock) setOutcome({ is: "linked", me });
      else done();
    }
    finish().catch((error: unknown) => setOutcome({ is: "failed", error }));
  }, [api, sessions, isUnlock, done]);

  if (outcome.is === "linked") return <FirstPasskey me={outcome.me} done={done} />;
  if (outcome.is === "waiting")
    return (
      <Gate plate={t("app.console")} title={t("signIn.directoryTitle")}>
        <p role="status">{t("signIn.directoryBusy")}</p>
      </Gate>
    );
  return (
    <Gate
      plate={t("app.console")}
      title={t(isUnlock ? "signIn.lockedTitle" : "signIn.directoryFailed")}
      ways={
        <>
          <DirectoryWay begin={() => api.call(isUnlock ? "unlockDirectoryBegin" : "directoryBegin", { body: {} })} />
          <Way icon="passkey" title={t("signIn.otherWays")} about={t("signIn.otherWaysAbout")} onChoose={done} />
        </>
      }
    >
      <FormAlert>{failureText(speech, outcome.error)}</FormAlert>
    </Gate>
  );
}

/** What the directory put behind the `?`: it is good once, and is not kept in the address. */
function takeAnswer(): string {
  const answer = location.search.slice(1);
  history.replaceState(null, "", paths.directory);
  return answer;
}

/** The directory says who somebody is. What confirms money is a key of their own. */
function FirstPasskey({ me, done }: { readonly me: Me; readonly done: () => void }) {
  const { api, passkeys, sessions } = useConsole();
  const { t } = useText();
  async function make(label: string): Promise<void> {
    const { ceremony, options } = await api.call("addPasskeyBegin", { body: {} });
    const response = await passkeys.make(options);
    await api.call("addPasskeyFinish", { body: { ceremony, response, label } });
    await sessions.refresh();
    done();
  }
  return (
    <Gate
      plate={me.person.name}
      title={t("signIn.firstPasskey")}
      about={t("signIn.firstPasskeyAbout", { label: me.directory?.label ?? "" })}
      ways={
        <Way icon="screen" title={t("signIn.withoutPasskey")} about={t("signIn.withoutPasskeyAbout")} onChoose={done} />
      }
    >
      <PasskeyForm make={make} />
    </Gate>
  );
}
