import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationRecording

/// The result of a page in a browser: the document after the script has run.
@Suite(.serialized, .needsBrowser, .inTurn) struct BrowserTests {
  /// A color scheme, with its number in the browser's settings.
  enum Scheme: Int {
    case dark = 0
    case light = 1
  }

  /// Returns the document of a page after its scripts have run. The page's policy is changed to
  /// permit the additional script.
  private static func document(
    _ html: String, fragment: String = "", scheme: Scheme = .light, width: Int = 800,
    script: String? = nil
  ) async throws -> String {
    let folder = try TemporaryFolder()
    var page = html
    if let script {
      page = page.replacingOccurrences(
        of: "script-src ", with: "script-src 'nonce-test' ")
      page = page.replacingOccurrences(
        of: "</body>", with: "<script nonce=\"test\">\(script)</script></body>")
    }
    let path = try folder.write(Array(page.utf8), to: "page.html")
    return try await Command.output(of: [
      try #require(Browser.name), "--headless", "--no-sandbox", "--disable-gpu",
      "--user-data-dir=\(folder.path)/profile",
      "--blink-settings=preferredColorScheme=\(scheme.rawValue)", "--window-size=\(width),844",
      "--dump-dom",
      "file://\(path)\(fragment)",
    ])
  }

  private static func page() throws -> String {
    TrackPicture(try TrackPictureTests.walk(900)).html()
  }

  /// The value of an attribute of the element with an identifier.
  private static func attribute(_ name: String, of id: String, _ document: String) -> String? {
    guard let element = document.firstRange(of: "id=\"\(id)\""),
      let end = document[element.upperBound...].firstIndex(of: ">"),
      let start = document[..<element.lowerBound].lastIndex(of: "<")
    else { return nil }
    let tag = document[start..<end]
    guard let found = tag.firstRange(of: " \(name)=\"") else { return nil }
    return String(tag[found.upperBound...].prefix { $0 != "\"" })
  }

  @Test func theFragmentMovesTheCursor() async throws {
    let document = try await Self.document(Self.page(), fragment: "#cursor=40")
    #expect(Self.attribute("aria-valuenow", of: "profiles", document) == "40")
    let valueText = try #require(Self.attribute("aria-valuetext", of: "profiles", document))
    #expect(valueText.contains("km/h"))
    #expect(document.contains("aria-live=\"polite\">\(valueText)</output>"))
    #expect(Self.attribute("visibility", of: "cursor", document) == "visible")
    #expect(Self.attribute("role", of: "profiles", document) == "slider")
    #expect(Self.attribute("role", of: "map", document) == "img")
  }

  @Test(
    arguments: [
      (["End"], "799"), (["End", "Home"], "0"), (["ArrowRight", "ArrowUp"], "2"),
      (["ArrowRight", "ArrowLeft", "ArrowDown"], "0"), (["PageUp", "ArrowRight", "PageDown"], "1"),
      (["Tab"], "0"),
    ] as [([String], String)])
  func keysMoveTheCursor(_ keys: [String], _ value: String) async throws {
    let presses = keys.map { "press('\($0)');" }.joined()
    let script = """
      function press(key) { document.getElementById('profiles').dispatchEvent(
      new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true})); } \(presses)
      """
    let document = try await Self.document(Self.page(), script: script)
    #expect(Self.attribute("aria-valuenow", of: "profiles", document) == value)
  }

  @Test func thePointerMovesTheCursor() async throws {
    let script = """
      const box = document.querySelector('#profiles svg').getBoundingClientRect();
      document.getElementById('profiles').dispatchEvent(new PointerEvent('pointermove',
      {clientX: box.right, clientY: box.top + 9, bubbles: true}));
      """
    let document = try await Self.document(Self.page(), script: script)
    #expect(Self.attribute("aria-valuenow", of: "profiles", document) == "799")
  }

  @Test(
    arguments: [(Scheme.light, PictureStyle.light), (.dark, PictureStyle.dark)]
      as [(Scheme, [String])])
  func colorsFollowTheScheme(_ scheme: Scheme, _ colors: [String]) async throws {
    let script = """
      document.body.dataset.colors = [...document.querySelectorAll('path.line')].map((line) =>
      line.classList[1] + getComputedStyle(line).stroke).join(';');
      """
    let document = try await Self.document(Self.page(), scheme: scheme, script: script)
    for (index, color) in colors.enumerated() where document.contains("k\(index)rgb") {
      let number = try #require(Int(color.dropFirst(), radix: 16))
      let parts = "\(number >> 16), \(number >> 8 & 255), \(number & 255)"
      #expect(document.contains("k\(index)rgb(\(parts))"))
    }
    #expect(document.contains("k6rgb"))
  }

  /// On a screen of 390 pixels, no text reaches beyond its picture, and no two labels of a picture
  /// overlap.
  @Test(arguments: 0..<3) func noTextIsCutOnASmallScreen(_ index: Int) async throws {
    let script = """
      const found = [];
      for (const svg of document.querySelectorAll('svg')) {
        const box = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll('text')].map((text) =>
          [text.textContent, text.getBoundingClientRect()]).filter(([, rect]) => rect.width > 0);
        for (const [words, rect] of texts) {
          if (rect.left < box.left - 1 || rect.right > box.right + 1) found.push('cut: ' + words);
        }
        texts.forEach(([words, a], first) => texts.slice(first + 1).forEach(([others, b]) => {
          if (a.left < b.right - 1 && b.left < a.right - 1 && a.top + 5 < b.bottom
            && b.top + 5 < a.bottom) found.push('over: ' + words + ' | ' + others);
        }));
      }
      document.body.dataset.found = found.join('; ') || 'none';
      """
    let document = try await Self.document(Self.wideTexts(index), width: 390, script: script)
    let found = document.firstRange(of: "data-found=\"").map {
      String(document[$0.upperBound...].prefix { $0 != "\"" })
    }
    #expect(found == "none")
  }

  /// On a screen of 390 pixels, the page is no wider than the screen.
  @Test func aWideTableScrollsByItself() async throws {
    var track = try TrackPictureTests.walk(30)
    track.waypoints = try (0..<3).map { index in
      try Waypoint(
        try Coordinate(latitude: 48, longitude: 11 + Double(index) / 1000),
        name: String(repeating: "Wide ", count: 12),
        details: String(repeating: "word ", count: 12), type: "Harbour")
    }
    let script = """
      const tables = [...document.querySelectorAll('.scroll')];
      document.body.dataset.found = [
        document.documentElement.scrollWidth <= innerWidth ? 'page fits' : 'page scrolls',
        tables.some((table) => table.scrollWidth > table.clientWidth) ? 'table scrolls' : 'none',
      ].join('; ');
      """
    let document = try await Self.document(TrackPicture(track).html(), width: 390, script: script)
    #expect(document.contains("data-found=\"page fits; table scrolls\""))
  }

  /// One of three pages with long names, large numbers, and every element of a legend.
  private static func wideTexts(_ index: Int) throws -> String {
    let long = "The way from Llanfairpwllgwyngyll to Taumatawhakatangihangakoauauotamatea"
    if index == 0 {
      let tracks = try (0..<9).map { number in
        Track(
          try (0..<3).map { second in
            try location(47.4 + Double(second) / 10, 9 + Double(number) / 20, at: Double(second))
          }, name: "\(number) \(long)")
      }
      return TracksPicture(tracks, title: long).html()
    }
    var track = Track(name: long)
    for second in 0..<600 {
      let altitude = second < 100 ? nil : index == 1 ? 8000 + 20 * Double(second) : Double(second)
      track.append(
        TrackPoint(
          try location(
            47.4 + Double(min(second, 300)) / 1000, 9,
            at: Double(second) + (second > 400 ? 900 : 0),
            altitude: altitude, speed: second > 300 ? 0 : 250),
          beginning: second == 401 ? .loss : nil))
    }
    return TrackPicture(track, options: .init(coloring: .altitude, leastStop: .seconds(30))).html()
  }

  @Test("F59 a name is no script, and no script but the page's runs")
  func noOtherScriptRuns() async throws {
    var track = try TrackPictureTests.walk(30)
    track.name = TrackPictureTests.hostileName
    let page = TrackPicture(track).html().replacingOccurrences(
      of: "</body>", with: "<script>document.body.dataset.ran=1</script></body>")
    let document = try await Self.document(page, fragment: "#cursor=1")
    #expect(!document.contains("data-ran"))
    #expect(Self.attribute("aria-valuenow", of: "profiles", document) == "1")
    #expect(document.contains("<h1><bdi>&lt;/title&gt;&lt;/script&gt;"))
  }
}

/// A browser without a window.
enum Browser {
  static let name = ["chromium-headless-shell", "chromium"].first(where: Command.isInstalled)
  static let isRequired =
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_REQUIRE_BROWSER"] == "1"
}

extension Trait where Self == ConditionTrait {
  /// Skips a test without a browser, unless one is required.
  static var needsBrowser: Self {
    .enabled(if: Browser.name != nil || Browser.isRequired, "install chromium")
  }
}
