import { expect, it } from "vitest";
import { type Column, table } from "./table.ts";

interface Row {
  name: string;
  count: number;
  text: string;
}

const columns: Column<Row>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "COUNT", text: ({ count }) => String(count), align: "right" },
  { title: "TEXT", text: ({ text }) => text, paint: (_row, text) => `<${text}>` },
];

it("aligns every column, wide characters included", () => {
  const rows = [
    { name: "a", count: 5, text: "one" },
    { name: "日本語", count: 12_345_678, text: "two" },
  ];
  expect(table(rows, columns, 80)).toEqual([
    "NAME       COUNT  TEXT",
    "a              5  <one>",
    "日本語  12345678  <two>",
  ]);
});

it("cuts the last column to the width of the terminal", () => {
  const [, line = ""] = table([{ name: "a", count: 1, text: "x".repeat(100) }], columns, 40);
  expect(line).toBe(`a         1  <${"x".repeat(26)}…>`);
});

const many: Column<Row>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "FIRST", text: () => "1234567890", spare: 2 },
  { title: "SECOND", text: () => "1234567890", spare: 1 },
  { title: "TEXT", text: ({ text }) => text },
];

it("leaves out what can be spared where there is no room, the least important first", () => {
  const rows = [{ name: "a-name", count: 1, text: "x".repeat(40) }];
  const titles = (width: number) => table(rows, many, width)[0]?.split(/ +/);
  expect(titles(60)).toEqual(["NAME", "FIRST", "SECOND", "TEXT"]);
  expect(titles(45)).toEqual(["NAME", "SECOND", "TEXT"]);
  expect(titles(30)).toEqual(["NAME", "TEXT"]);
});

it("is never wider than the terminal, whatever is in it", () => {
  const rows = [{ name: "n".repeat(90), count: 1, text: "x".repeat(40) }];
  for (const width of [200, 100, 60, 30]) {
    for (const last of ["cut", "below"] as const) {
      const lines = table(rows, columns.slice(0, 2), width, { last });
      expect(lines.filter((line) => line.length > width)).toEqual([]);
    }
  }
});

it("puts the last column below where it must be whole", () => {
  const rows = [{ name: "a", count: 1, text: "a/path/that/must/be/whole" }];
  expect(table(rows, columns, 80, { last: "below" })).toEqual([
    "NAME  COUNT  TEXT",
    "a         1  <a/path/that/must/be/whole>",
  ]);
  expect(table(rows, columns, 30, { last: "below" })).toEqual([
    "NAME  COUNT",
    "a         1",
    "  <a/path/that/must/be/whole>",
  ]);
});
