import { expect, test } from "vitest";
import type { FormValues } from "./auth-form.tsx";
import { FORMS, faultsOf } from "./auth-form.tsx";

const empty: FormValues = { name: "", username: "Selin", email: "", password: "", confirm: "", ticked: false };
const whole: FormValues = {
  ...{ name: "Selin", username: "Selin", email: "a@b.co", ticked: true },
  ...{ password: "12345678", confirm: "12345678" },
};

test("an empty form says what it needs, a whole one nothing", () => {
  expect(faultsOf(FORMS.register, empty)).toEqual({
    name: "templateAuth.nameRequired",
    email: "templateAuth.emailRequired",
    password: "templateAuth.passwordRequired",
    confirm: "templateAuth.passwordsDiffer",
    box: "templateAuth.termsRequired",
  });
  for (const form of Object.values(FORMS)) expect(faultsOf(form, whole)).toEqual({});
});

test.each([
  ["a@b", "templateAuth.emailInvalid"],
  ["a b@c.de", "templateAuth.emailInvalid"],
  [" a@b.co ", undefined],
])("the address %j: %s", (email, fault) => {
  expect(faultsOf(FORMS.forgot, { ...empty, email }).email).toBe(fault);
});

test("a password has eight characters, and its repetition is the same", () => {
  expect(faultsOf(FORMS.reset, { ...whole, password: "1234567" })).toEqual({
    password: "templateAuth.passwordShort",
    confirm: "templateAuth.passwordsDiffer",
  });
  expect(faultsOf(FORMS.reset, { ...whole, confirm: "12345679" })).toEqual({ confirm: "templateAuth.passwordsDiffer" });
});

test("the box of the login may stay empty, that of the terms may not", () => {
  expect(faultsOf(FORMS.login, { ...whole, ticked: false })).toEqual({});
  expect(faultsOf(FORMS.register, { ...whole, ticked: false })).toEqual({ box: "templateAuth.termsRequired" });
});
