import AsyncLocation
import MQTTBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct FleetTableTests {
  private static func view(_ devices: [FleetDevice]) -> FleetView {
    FleetView(
      source: "owntracks/+/+ at mqtt://boat.local", connection: ConnectionState(.connected),
      connected: .zero, devices: devices)
  }

  private static func text(_ view: FleetView, _ width: Int, _ height: Int = 24) -> String {
    var view = view
    return text(&view, width, height)
  }

  private static func text(
    _ view: inout FleetView, _ width: Int, _ height: Int = 24, _ glyphs: Glyphs = .unicode
  ) -> String {
    let table = FleetTable(width: width, height: height, glyphs: glyphs)
    return table.lines(&view, now: .seconds(3)).map {
      // Removes the padding of the last cell of a line.
      var text = $0.text(color: false)[...]
      while text.last == " " { text.removeLast() }
      return String(text)
    }.joined(separator: "\n")
  }

  private static func devices() throws -> [FleetDevice] {
    [
      try FleetSamples.device("boat"),
      try FleetSamples.device("car", .offline, silence: .seconds(75)),
      FleetDevice(id: try FleetSamples.id("van")),
    ]
  }

  private static func event(
    _ name: String = "boat", _ identifier: String = "the harbour"
  ) throws -> FleetEvent {
    FleetEvent(
      device: try FleetSamples.id(name), identifier: identifier, previousState: .unknown,
      state: .satisfied, location: try Samples.location(full: false))
  }

  @Test func theTableShowsDevicesAndEvents() throws {
    var view = Self.view(try Self.devices())
    view.events = [try Self.event()]
    #expect(
      Self.text(view, 110) == """
        owntracks/+/+ at mqtt://boat.local  ● connected  3 devices, 1 online

        Device ↑   Presence         Age            Position      Speed   Course  Last update
        jane/boat  online         2.0 s  48.13715, 11.57612  50.0 km/h  87° E    2026-05-04 03:02:01Z
        jane/car   offline   1 min 15 s  48.13715, 11.57612  50.0 km/h  87° E    2026-05-04 03:02:01Z
        jane/van   unknown            -                   -          -        -  -

        Events
        2026-05-04 03:02:01Z  jane/boat  unknown → satisfied  the harbour
        """)
  }

  @Test("a suspect device is counted, marked, and shown with the reasons if there is room")
  func suspectDevices() throws {
    var devices = try Self.devices()
    for (index, integrity) in [LocationIntegrity(reasons: [.jump, .clock]), .plausible].enumerated()
    {
      var location = try #require(devices[index].location)
      location.integrity = integrity
      devices[index] = FleetDevice(id: devices[index].id, location: location)
    }
    let text = Self.text(Self.view(devices), 120)
    #expect(text.contains("3 devices, 0 online, 1 suspect"))
    let rows = text.split(separator: "\n").dropFirst(1)
    #expect(rows.first?.hasSuffix("Last update           Integrity") == true)
    #expect(
      rows.dropFirst().map { $0.split(separator: " ").last.map(String.init) }
        == ["jump,clock", "plausible", "-"])
    var view = Self.view(devices)
    let narrow = FleetTable(width: 60, height: 24).lines(&view, now: .zero)
    #expect(!narrow.contains { $0.text(color: false).contains("Integrity") })
    let marked = narrow.filter { $0.text(color: false).contains("48.13715") }
    #expect(marked.count == 2)
    #expect(marked.map { $0.pieces.contains { $0.role == .bad } } == [true, false])
  }

  @Test(
    "the last columns are left out of a narrow window, the position last",
    arguments: [
      (70, "Device ↑   Presence         Age            Position      Speed"),
      (60, "Device ↑   Presence         Age            Position"),
      (45, "Device ↑   Presence            Position"),
      (32, "Device ↑             Position"),
      (20, "Device ↑"),
    ])
  func leavesColumnsOut(_ width: Int, _ titles: String) throws {
    let lines = Self.text(Self.view(try Self.devices()), width).split(separator: "\n")
    #expect(lines.dropFirst().first.map(String.init) == titles)
  }

  @Test("a line states which devices are shown, unless all are")
  func countsHiddenDevices() throws {
    var view = Self.view(try (0..<30).map { try FleetSamples.device("\($0)") })
    func last(_ width: Int, _ height: Int = 10, _ glyphs: Glyphs = .unicode) -> String? {
      Self.text(&view, width, height, glyphs).split(separator: "\n").last.map(String.init)
    }
    #expect(last(80) == "devices 1–5 of 30")
    #expect(last(60) == "devices 1–5 of 30; 30 online")
    #expect(last(80, 10, .ascii) == "devices 1-5 of 30")
    #expect(last(60, 6) == "devices 1–1 of 30; 30 online")
    #expect(last(60, 4) == "30 devices, not shown; 30 online")
    view.hasKeys = true
    #expect(last(80) == "devices 1–5 of 30  arrows scroll, s sorts, r reverses, q quits")
    #expect(last(60) == "devices 1–5 of 30; 30 online")
    view.devices = try (0..<10_000).map { try FleetSamples.device("\($0)") }
    _ = last(80)
    for key in [Key.pageDown, .pageDown, .end] { view.scroll.press(key) }
    #expect(last(50) == "devices 9,996–10,000 of 10,000; 10,000 online")
  }

  @Test("the selected device is marked, and stays in view when others come")
  func marksTheSelectedDevice() throws {
    var view = Self.view(try (10..<40).map { try FleetSamples.device("\($0)") })
    func names(_ glyphs: Glyphs = .unicode) -> [String] {
      Self.text(&view, 20, 8, glyphs).split(separator: "\n").dropFirst().map(String.init)
    }
    #expect(names().prefix(2) == ["Device ↑", "jane/10"])
    for _ in 0..<5 { view.scroll.press(.down) }
    #expect(
      names() == [
        "  Device ↑", "  jane/12", "  jane/13", "▸ jane/14", "devices 3–5 of 30;…",
      ])
    view.devices = try (0..<10).map { try FleetSamples.device("0\($0)") } + view.devices
    #expect(names().dropFirst().prefix(3) == ["  jane/12", "  jane/13", "▸ jane/14"])
    #expect(names(.ascii).dropFirst(3).first == "> jane/14")
    #expect(names(.ascii).first == "  Device ^")
  }

  @Test("a narrow window shows the column that the devices are sorted by")
  func keepsTheColumnOfTheOrder() throws {
    var view = Self.view(try Self.devices())
    for _ in 0..<4 { view.order.press(.right) }
    view.order.press(.character("r"))
    view.devices = view.order.sorted(view.devices)
    let lines = Self.text(&view, 45).split(separator: "\n")
    #expect(lines.dropFirst().first == "Device               Position    Speed ↓")
    let narrow = Self.text(&view, 30).split(separator: "\n")
    #expect(narrow.dropFirst().first == "Device       Speed ↓")
  }

  @Test(
    "an event fits a window of 80 columns",
    arguments: [
      (80, "2026-05-04 03:02:01Z  jane/a-ship  unknown → satisfied  the eastern harbour"),
      (75, "03:02:01Z  jane/a-ship  → satisfied  the eastern harbour"),
      (50, "03:02:01Z  jane/a-ship  → satisfied  the eastern…"),
    ])
  func shortensEvents(_ width: Int, _ text: String) throws {
    var view = Self.view(try Self.devices())
    view.events = [try Self.event("a-ship", "the eastern harbour")]
    #expect(Self.text(&view, width).split(separator: "\n").last.map(String.init) == text)
  }

  @Test("events are aligned, and what they name is escaped")
  func alignsEvents() throws {
    var view = Self.view([])
    view.events = [try Self.event("a", "\u{1B}[2J"), try Self.event("longer", "b")]
    #expect(
      Self.text(&view, 100).split(separator: "\n").suffix(2) == [
        #"2026-05-04 03:02:01Z  jane/a       unknown → satisfied  \u001b[2J"#,
        "2026-05-04 03:02:01Z  jane/longer  unknown → satisfied  b",
      ])
  }

  @Test("a message stands below the problem of the connection")
  func showsTheNotice() throws {
    var view = Self.view(try Self.devices())
    view.notice = "areas: nothing\nchanged"
    #expect(Self.text(&view, 80).split(separator: "\n")[1] == #"areas: nothing\u000achanged"#)
    view.connection = ConnectionState(.waiting, problem: Samples.refused)
    #expect(Self.text(&view, 80).split(separator: "\n")[2] == #"areas: nothing\u000achanged"#)
  }

  @Test(.longWork) func fitsEveryWindow() throws {
    for count in [0, 1, 5, 40] {
      var view = Self.view(
        try (0..<count).map { try FleetSamples.device("\($0)\(String(repeating: "界", count: $0))") }
      )
      view.events = try (0..<5).map { try Self.event("\($0)", String(repeating: "界", count: 60)) }
      view.notice = String(repeating: "notice ", count: 40)
      view.connection = ConnectionState(.waiting, problem: Samples.refused)
      for height in [1, 2, 3, 5, 9, 14, 24, 60] {
        for width in [1, 2, 10, 20, 37, 60, 79, 80, 120, 250] {
          view.scroll.press([.down, .pageDown, .end, .up][(height + width) % 4])
          let lines = FleetTable(width: width, height: height).lines(&view, now: .seconds(3))
          #expect(lines.count <= max(1, height - 1), "\(width)x\(height)")
          #expect(lines.allSatisfy { $0.columns < width || $0.columns == 0 }, "\(width)x\(height)")
        }
      }
    }
  }

  @Test(
    "a narrow window shows the state of the connection",
    arguments: [
      (69, "owntracks/+/+ at mqtt://boat.local  ● connected  3 devices, 1 online"),
      (68, "owntracks/+/+ at mqtt://boat.local  ● connected"),
      (40, "owntracks/+/+ at mqtt://b…  ● connected"),
      (24, "owntracks…  ● connected"), (20, "owntrac…  ● connec…"),
    ])
  func keepsTheConnection(_ width: Int, _ title: String) throws {
    let lines = Self.text(Self.view(try Self.devices()), width).split(separator: "\n")
    #expect(lines.first.map(String.init) == title)
  }

  @Test("a speed that no vehicle has does not widen its column")
  func limitsTheSpeed() throws {
    let absurd = FleetDevice(
      id: try FleetSamples.id("fast"), location: try Samples.location().with { $0.speed = 1e307 })
    let text = Self.text(Self.view(try Self.devices() + [absurd]), 110)
    #expect(text.contains("  4e+307 km/h  87° E "))
    #expect(text.contains("    50.0 km/h  87° E "))
  }

  @Test func escapesNames() throws {
    let text = Self.text(Self.view([try FleetSamples.device(FleetSamples.hostileName)]), 120)
    #expect(text.contains(#"jane/evil \u3164"#))
    #expect(Escaping.escape(text.replacing("\n", with: "")) == text.replacing("\n", with: ""))
  }
}
