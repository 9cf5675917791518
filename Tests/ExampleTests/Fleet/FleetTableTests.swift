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
    FleetTable(width: width, height: height).lines(view, now: .seconds(3)).map {
      // Cells are padded, including the last cell of a line.
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

  @Test func showsEverything() throws {
    var view = Self.view(try Self.devices())
    view.events = ["an event"]
    #expect(
      Self.text(view, 110) == """
        owntracks/+/+ at mqtt://boat.local  ● connected  3 devices, 1 online

        Device     Presence         Age            Position      Speed   Course  Last update
        jane/boat  online         2.0 s  48.13715, 11.57612  50.0 km/h  87° E    2026-05-04 03:02:01Z
        jane/car   offline   1 min 15 s  48.13715, 11.57612  50.0 km/h  87° E    2026-05-04 03:02:01Z
        jane/van   unknown            -                   -          -        -  -

        Events
        an event
        """)
  }

  @Test(
    "the last columns are left out of a narrow window, the position last",
    arguments: [
      (70, "Device     Presence         Age            Position      Speed"),
      (60, "Device     Presence         Age            Position"),
      (45, "Device     Presence            Position"),
      (32, "Device               Position"),
      (20, "Device"),
    ])
  func leavesColumnsOut(_ width: Int, _ titles: String) throws {
    let lines = Self.text(Self.view(try Self.devices()), width).split(separator: "\n")
    #expect(lines.dropFirst().first.map(String.init) == titles)
  }

  @Test func countsHiddenDevices() throws {
    let devices = try (0..<30).map { try FleetSamples.device("\($0)") }
    let lines = Self.text(Self.view(devices), 80, 10).split(separator: "\n")
    #expect(lines.last == "25 more, not shown")
    let narrow = Self.text(Self.view(devices), 60, 10).split(separator: "\n")
    #expect(narrow.last == "25 more, not shown; 30 of 30 online")
  }

  @Test(.longWork) func fitsEveryWindow() throws {
    for count in [0, 1, 5, 40] {
      var view = Self.view(
        try (0..<count).map { try FleetSamples.device("\($0)\(String(repeating: "界", count: $0))") }
      )
      view.events = Array(repeating: String(repeating: "event ", count: 40), count: 5)
      view.connection = ConnectionState(.waiting, problem: Samples.refused)
      for height in [1, 2, 3, 5, 9, 14, 24, 60] {
        for width in [1, 2, 10, 20, 37, 60, 79, 80, 120, 250] {
          let lines = FleetTable(width: width, height: height).lines(view, now: .seconds(3))
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
