import { mailCalls } from "@longarm/contract/player-mail";
import { openIdCalls } from "@longarm/contract/player-openid";
import { problems } from "@longarm/contract/problems";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useEffect, useState } from "react";
import type { ResetDoor } from "../../features/auth/reset-form.tsx";
import { ResetForm } from "../../features/auth/reset-form.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { App } from "../app.ts";

const OF_THE_PASSWORD = [problems["password.too_short"].code, problems["password.too_common"].code];

/** A new password by e-mail, where the platform sends some; else what to do without. Loaded when the password is forgotten. */
export default function ForgottenPassword({ app }: { readonly app: App }) {
  const { t } = useText();
  const [way, setWay] = useState<"mail" | "staff">();
  useEffect(() => {
    const look = async () => {
      const [ways] = await Promise.all([app.api.make(openIdCalls.signInWays), app.texts.need("mail")]);
      return ways.ok && ways.data.reset === true;
    };
    void look().then(
      (byMail) => setWay(byMail ? "mail" : "staff"),
      () => setWay("staff"),
    );
  }, [app]);
  if (way === undefined) return <p role="status">{t("app.loading")}</p>;
  return way === "mail" ? <ResetForm door={resetDoor(app)} /> : <p>{t("auth.forgotBody")}</p>;
}

function resetDoor({ api, texts }: App): ResetDoor {
  const speech = () => texts.speech.getState();
  return {
    async request(username) {
      const answer = await api.make(mailCalls.resetAsk, { body: { username, language: speech().language } });
      return answer.ok ? { reset: answer.data.reset } : { failure: failureText(speech(), answer.failure) };
    },
    async choose({ second, ...given }) {
      const body = { ...given, ...(second !== undefined && { second }) };
      const answer = await api.make(mailCalls.resetPassword, { body });
      if (answer.ok) return { is: "done" };
      const { code } = answer.failure;
      const text = failureText(speech(), answer.failure);
      if (code === problems["mail.second_needed"].code) return { is: "second", text };
      if (code === problems["mail.code_wrong"].code) return { is: "code", text };
      return { is: OF_THE_PASSWORD.some((one) => one === code) ? "password" : "failed", text };
    },
  };
}
