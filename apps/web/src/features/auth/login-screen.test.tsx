import { defaultSettings } from "@longarm/contract/settings";
import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { contactAddress } from "../../shared/contacts/contacts.tsx";
import { realTexts } from "../../shared/testing/fakes.ts";
import { loginErrors } from "./login-form.tsx";
import type { LoginScreenProps } from "./login-screen.tsx";
import { LoginScreen } from "./login-screen.tsx";

beforeEach(() =>
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} })),
);
afterEach(cleanup);

const REFUSED = { is: "refused", httpStatus: 401, params: { left_count: 2, block_time: 15 }, fields: [] } as const;
const SETTINGS = {
  ...defaultSettings(),
  contacts: [{ title: "Help", phone: "+90 (555) 1" }],
};

async function door(more: Partial<LoginScreenProps> = {}) {
  const texts = await realTexts("en", "app", "auth", "code");
  const onLogin = vi.fn<LoginScreenProps["onLogin"]>(async () => undefined);
  render(
    <TextsContext value={texts}>
      <LoginScreen
        settings={SETTINGS}
        refused={false}
        reset={null}
        start={{ username: "", remember: false }}
        onLogin={onLogin}
        onLanguage={async () => {}}
        {...more}
      />
    </TextsContext>,
  );
  return { onLogin, texts };
}
const pull = () => fireEvent.click(screen.getByRole("button", { name: /Pull the arm/ }));
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const submit = () => screen.getByRole<HTMLButtonElement>("button", { name: "Log in" });

test("R-2.4-01, R-2.4-02: first the logo alone, after the pull the form, with the focus in it", async () => {
  await door();
  expect(screen.queryByLabelText("Password")).toBeNull();
  pull();
  expect(document.activeElement).toBe(screen.getByLabelText("User name or e-mail"));
});

test("R-5-01, R-5-02, R-5-03, R-5-04: the key sleeps until both are four characters long", async () => {
  await door();
  pull();
  expect(submit().disabled).toBe(true);
  type("User name or e-mail", "abc");
  // At once as a quiet word, and as an error once the field is left.
  expect(screen.getByText("Min character length is 4").getAttribute("role")).toBeNull();
  fireEvent.blur(screen.getByLabelText("User name or e-mail"));
  expect(screen.getByText("Min character length is 4")).toBeTruthy();
  type("User name or e-mail", "abcd");
  expect(screen.queryByText("Min character length is 4")).toBeNull();
  expect(submit().disabled).toBe(true);
  type("Password", "1234");
  expect(submit().disabled).toBe(false);
});

test("it logs in once however often it is pressed, and says that it is busy", async () => {
  let finish: (failure?: ApiFailure) => void = () => {};
  const onLogin = vi.fn<LoginScreenProps["onLogin"]>(() => new Promise((done) => (finish = done)));
  await door({ onLogin });
  pull();
  type("User name or e-mail", " deniz ");
  type("Password", "secret");
  fireEvent.click(screen.getByLabelText("Remember me"));
  fireEvent.click(submit());
  fireEvent.click(submit());
  expect(submit().getAttribute("aria-busy")).toBe("true");
  expect(onLogin.mock.calls).toEqual([[{ username: "deniz", password: "secret" }, true]]);
  finish({ ...REFUSED, fields: [{ type: "username", message: "Not known" }] });
  await waitFor(() => expect(screen.getByText("Not known")).toBeTruthy());
  expect(screen.getByLabelText("User name or e-mail").getAttribute("aria-invalid")).toBe("true");
  expect(document.activeElement).toBe(screen.getByLabelText("User name or e-mail"));
});

test("the password can be shown, and is hidden again", async () => {
  await door({ start: { username: "deniz", remember: true } });
  pull();
  const password = screen.getByLabelText<HTMLInputElement>("Password");
  expect(password.type).toBe("password");
  fireEvent.click(screen.getByRole("button", { name: "Show password" }));
  expect(password.type).toBe("text");
  fireEvent.click(screen.getByRole("button", { name: "Hide password" }));
  expect(password.type).toBe("password");
  expect(screen.getByLabelText<HTMLInputElement>("Remember me").checked).toBe(true);
});

test("R-2.4-03, R-2.4-04: contacts lead to WhatsApp, and only with their flag", async () => {
  await door();
  const link = screen.getByRole<HTMLAnchorElement>("link", { name: "WhatsApp: Help" });
  expect(link.href).toBe("https://wa.me/905551");
  expect(link.rel).toContain("noopener");
  cleanup();
  await door({ settings: { ...SETTINGS, showContactOnLogin: false } });
  expect(screen.queryByRole("link")).toBeNull();
  expect(contactAddress("javascript:alert(1)")).toBe("https://wa.me/1");
});

test("R-2.4-05: login-with-token mode shows its sentence and no form", async () => {
  await door({ refused: true });
  expect(screen.getByRole("alert").textContent).toBe("LOGIN is not allowed. Probably Access Token is no longer valid");
  expect(screen.queryByRole("button", { name: /Pull/ })).toBeNull();
});

test("R-2.4-06, R-5-05, R-5-06: failures by code, or on the fields they name", async () => {
  const speech = (await realTexts("en", "app", "code")).speech.getState();
  expect(loginErrors(speech, { ...REFUSED, code: 10700 }).form).toContain("attempts: 2, block time: 15 minutes");
  const fields = [
    { type: "email", message: "E" },
    { type: "password", message: "P" },
  ] as const;
  expect(loginErrors(speech, { ...REFUSED, fields })).toEqual({ username: "E", password: "P" });
});

// player 20
test("player 20: the error follows the language, and takes the logo's place", async () => {
  const { texts } = await door({ onLogin: async () => ({ ...REFUSED, code: 10701 }) });
  pull();
  const head = screen.getByText("User name or e-mail").closest("form")?.firstElementChild;
  type("User name or e-mail", "deniz");
  type("Password", "wrong");
  fireEvent.click(submit());
  await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("username or password is wrong"));
  expect(screen.getByRole("alert").parentElement).toBe(head);
  await act(() => texts.speak("ar"));
  expect(screen.getByRole("alert").textContent).toBe("اسم المستخدم أو كلمة المرور غير صحيحة");
});

// player, missing for a casino player: age, licence and forgotten password on the log-in card.
test("a forgotten password leads to the staff's contacts and back; age and licence are below the card", async () => {
  await door({ settings: { ...SETTINGS, loginNotice: { en: "Licence 7", tr: "Lisans 7" } } });
  expect(screen.getByText("For ages 18 and over only")).toBeTruthy();
  expect(screen.getByText("Licence 7")).toBeTruthy();
  pull();
  fireEvent.click(screen.getByRole("button", { name: "Forgot your password?" }));
  expect(document.activeElement?.textContent).toBe("A new password");
  expect(screen.getAllByRole("link", { name: "WhatsApp: Help" })).toHaveLength(1);
  fireEvent.click(screen.getByRole("button", { name: "Back to the log-in" }));
  expect(screen.getByLabelText("Password")).toBeTruthy();
});

test("a contact without a number is a note: it is no link, and not below the card", async () => {
  await door({ settings: { ...SETTINGS, contacts: [{ title: "Demo: enter your own", phone: "" }] } });
  expect(screen.queryByText("Demo: enter your own")).toBeNull();
  pull();
  fireEvent.click(screen.getByRole("button", { name: "Forgot your password?" }));
  expect(screen.getByText("Demo: enter your own")).toBeTruthy();
  expect(screen.queryByRole("link")).toBeNull();
});
