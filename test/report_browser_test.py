#!/usr/bin/python3
"""The report of `heddle bench --html` in a real browser: it loads without complaints, every chart has marks, filters,
sorting and themes work, it fits a phone and paper, and a hostile file name stays text.

    HEDDLE_COMMAND=build/bin/heddle test/report_browser_test.py [--chromium PATH] [--driver PATH]
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from selenium.webdriver.support.ui import Select

GENERATED = ["gen:stencil2d5,n=20", "gen:rmat,scale=8", "gen:fem,n=4,dof=3", "gen:random,rows=400,cols=300,per_row=5"]
HOSTILE = "<img src=x onerror=document.title='owned'>&quot;\"'<b>"
MARKET = "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 2 1\n3 1 4\n"
paths = argparse.Namespace()


def bench(*words):
    command = [os.environ["HEDDLE_COMMAND"], "bench", "--device", "cpu", "--seconds", "0.001", "--quiet", *words]
    return subprocess.run(command, capture_output=True, text=True)


def start_browser():
    options = Options()
    options.binary_location = paths.chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(paths.driver), options=options)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="heddle_report_")
        folder = pathlib.Path(cls.folder.name)
        # "...x</script><b>..." as a whole path: it would end the element the data lie in.
        (folder / "x<").mkdir()
        hostile = folder / "x<" / "script><b>deep.mtx"
        broken = folder / "broken.mtx"
        named = folder / f"{HOSTILE}.mtx"
        for path in (hostile, named):
            path.write_text(MARKET)
        broken.write_text("nonsense <i>here</i>\n")
        cls.page = folder / "report.html"
        run = bench(*GENERATED, str(hostile), str(named), str(broken), "--precision", "both", "--formats",
                    "csr lanes=1;coo;sell;csr lanes=3;auto", "--html", str(cls.page))
        assert run.returncode == 3 and cls.page.exists(), run.stderr
        cls.cold_page = folder / "cold.html"
        run = bench("gen:stencil2d5,n=6", "--formats", "auto", "--peers", "none", "--cold", "--html", str(cls.cold_page))
        assert run.returncode == 0, run.stderr
        cls.browser = start_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def setUp(self):
        self.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [])
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    def open(self, page):
        self.browser.get(page.as_uri())
        self.browser.execute_script("localStorage.clear()")
        self.browser.get(page.as_uri())

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def column(self, title):
        heads = [head.text.split(" ")[0] for head in self.all("#table thead th")]
        at = heads.index(title)
        return [row.find_elements(By.TAG_NAME, "td")[at].text for row in self.all("#table tbody tr")]

    def press(self, group, value):
        self.one(f"#{group} button[value='{value}']").click()

    def style(self, name, selector="body"):
        script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        return self.browser.execute_script(script, selector, name)

    def test_needs_nothing_but_itself(self):
        self.assertEqual(self.browser.execute_script("return performance.getEntriesByType('resource').length"), 0)
        self.assertEqual(self.one("h1").text, "Heddle benchmark")
        self.assertIn("GB/s", self.one("#machine").text)
        self.assertIn("compiler", self.one("#machine").text.lower())

    def test_every_chart_has_a_mark_for_every_matrix(self):
        matrices = len(GENERATED) + 2
        self.assertEqual(len(self.all("#table tbody tr")), matrices)
        self.assertEqual(len(self.all("#speedup circle.mark")), matrices)
        self.assertEqual(len(self.all("#regret rect.mark")), matrices)
        self.assertGreaterEqual(len(self.all("#roofline .mark")), 4 * matrices)
        self.assertEqual(len(self.all("#roofline line.roof:not(.cache)")), 1)
        self.assertGreaterEqual(len(self.all("#prediction .mark")), 2 * matrices)
        for card in self.all(".card"):
            bars = card.find_elements(By.CSS_SELECTOR, ".parts > div:last-child rect.mark")
            self.assertGreaterEqual(len(bars), 3)
            self.assertGreater(float(bars[0].get_attribute("width")), float(bars[-1].get_attribute("width")))
            chosen = [b for b in bars if "chosen" in b.get_attribute("class")]
            self.assertEqual(len(chosen), 1)  # also where `auto` is a plan that was asked for by name
            self.assertGreaterEqual(len(card.find_elements(By.CSS_SELECTOR, ".pattern rect.mark")), 1)

    def test_spy_plots_show_where_the_entries_are(self):
        script = """const c = arguments[0], d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                    const ink = (i, j) => d[4 * (i * c.width + j) + 3];
                    return [ink(0, 0), ink(0, c.width - 1)];"""
        on, off = self.browser.execute_script(script, self.one("tr[data-name='stencil2d5,n=20'] canvas"))
        self.assertGreater(on, 0)
        self.assertEqual(off, 0)

    def test_says_what_failed(self):
        self.assertIn("broken.mtx", self.one("#failures").text)
        self.assertIn("csr lanes=3", self.one(".card").text)

    def test_filters_change_what_is_shown(self):
        rows = lambda: len(self.all("#table tbody tr"))
        all_of_one = rows()
        self.assertEqual(len(self.all(".card")), all_of_one)
        self.press("precision", "f32")
        self.assertEqual(rows(), all_of_one)
        self.assertIn("f32", self.one(".card h3").text)
        self.press("precision", "both")
        self.assertEqual(rows(), 2 * all_of_one)
        self.assertEqual(sorted(set(self.column("precision"))), ["f32", "f64"])
        Select(self.one("#class")).select_by_value("blocks")
        self.assertEqual(set(self.column("class")), {"blocks"})
        self.assertEqual(len(self.all("#speedup circle.mark")), rows())
        Select(self.one("#class")).select_by_value("")
        self.one("#search").send_keys("RMAT")
        self.assertEqual(self.column("matrix"), ["rmat,scale=8", "rmat,scale=8"])
        self.one("#search").send_keys("nothing has this name")
        self.assertEqual(rows(), 0)
        self.assertIn("0 of", self.one("#count").text)

    def test_sorting_reorders_rows_and_cards(self):
        number = lambda text: int(text.replace(",", ""))
        before = [number(text) for text in self.column("entries")]
        head = next(b for b in self.all("#table thead button") if b.text.startswith("entries"))
        head.click()
        self.assertEqual([number(t) for t in self.column("entries")], sorted(before, reverse=True))
        head.click()
        self.assertEqual([number(t) for t in self.column("entries")], sorted(before))
        self.assertEqual(head.find_element(By.XPATH, "..").get_attribute("aria-sort"), "ascending")
        self.assertTrue(self.all(".card h3")[-1].text.startswith(self.column("matrix")[-1]))

    def test_all_figures_of_a_matrix_open_on_demand(self):
        self.one(".card summary").click()
        cells = WebDriverWait(self.browser, 10).until(lambda browser: self.one(".card details table")).text
        for word in ("pays after", "sell", "csr lanes=1"):
            self.assertIn(word, cells)

    def test_dark_and_light_follow_the_system_until_told_otherwise(self):
        colours = {}
        for scheme in ("dark", "light"):
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            colours[scheme] = self.style("backgroundColor")
        self.assertNotEqual(colours["dark"], colours["light"])
        self.one("#theme").click()
        self.expect_background(colours["dark"])
        # What a page keeps is written a little later, and a new page reads it once: then it is opened again.
        self.expect_background(colours["dark"], self.browser.refresh)
        self.one("#theme").click()
        self.expect_background(colours["light"])

    def expect_background(self, colour, before=lambda: None):
        """Within ten seconds, each time after `before`."""
        def has_it(browser):
            before()
            return self.style("backgroundColor") == colour
        WebDriverWait(self.browser, 10).until(has_it, f"the background is not {colour}")

    def test_a_phone_never_scrolls_sideways(self):
        for width in (320, 390, 768):
            metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": True}
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            self.open(self.page)
            self.press("precision", "both")
            size = self.browser.execute_script(
                "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]")
            self.assertLessEqual(size[0], size[1], f"at {width}")
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_paper_has_the_headings_but_not_the_controls(self):
        self.one("#theme").click()
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertEqual(self.style("display", "#controls"), "none")
        self.assertEqual(self.style("display", "#theme"), "none")
        self.assertNotEqual(self.style("display", "#table thead button"), "none")
        self.assertEqual(self.style("backgroundColor"), "rgb(255, 255, 255)")

    def test_hostile_names_are_text(self):
        self.assertEqual(self.browser.title, "Heddle benchmark")
        self.assertEqual(len(self.all("main img, main b")), 0)
        self.assertIn(HOSTILE, self.column("matrix"))
        self.assertIn("script><b>deep", self.column("matrix"))
        self.assertIn("x</script><b>deep.mtx", self.browser.execute_script("return JSON.stringify(run)"))

    def test_cold_times_can_be_chosen_where_they_were_measured(self):
        self.assertEqual(len(self.all("#temperature button")), 0)
        self.open(self.cold_page)
        warm = self.column("time")
        self.press("temperature", "cold")
        self.assertNotEqual(self.column("time"), warm)
        self.assertIn("no peer in this run", self.one("#speedup").text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--driver", default="/usr/bin/chromedriver")
    _, left = parser.parse_known_args(namespace=paths)
    unittest.main(argv=sys.argv[:1] + left, verbosity=2)
