import AsyncLocation
import FoundationEssentials
import LocationFleet
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct FleetOrderTests {
  /// Devices, sorted by name.
  private static func devices() throws -> [FleetDevice] {
    try [
      ("a", .offline, 3, 30), ("b", .online, nil, 10), ("c", .online, 1, nil),
      ("d", .unknown, 2, 20), ("e", .online, 2, 20),
    ].map { (name: String, presence: FleetDevice.Presence, silence: Int?, value: Double?) in
      let location = try value.map { value in
        try Location(
          latitude: -value, longitude: 8, timestamp: Samples.time + value, speed: value,
          course: value)
      }
      return FleetDevice(
        id: try FleetSamples.id(name), location: location, presence: presence,
        silence: silence.map { .seconds($0) })
    }
  }

  @Test(
    "devices without a value are last, and devices with the same value are sorted by name",
    arguments: [
      (.device, "abcde", "edcba"), (.presence, "bcead", "dabce"), (.age, "cdeab", "adecb"),
      (.position, "adebc", "bdeac"), (.speed, "bdeac", "adebc"), (.course, "bdeac", "adebc"),
      (.time, "bdeac", "adebc"),
    ] as [(FleetColumn, String, String)])
  func sorts(_ column: FleetColumn, _ ascending: String, _ descending: String) throws {
    var order = FleetOrder()
    while order.column != column { order.press(.character("s")) }
    #expect(!order.isReversed)
    let devices = try Self.devices()
    #expect(order.sorted(devices).map(\.id.device).joined() == ascending)
    order.press(.character("r"))
    #expect(order.sorted(devices).map(\.id.device).joined() == descending)
    #expect(order.sorted([]).isEmpty)
  }

  @Test("keys go through the columns in both directions")
  func changesTheColumn() {
    var order = FleetOrder()
    var columns: [FleetColumn] = []
    for _ in FleetColumn.allCases {
      columns.append(order.column)
      order.press(.right)
    }
    #expect(columns == FleetColumn.allCases)
    #expect(order == FleetOrder())
    order.press(.left)
    #expect(order.column == .integrity)
    order.press(.character("S"))
    #expect(order.column == .time)
    for key in [Key.up, .home, .escape, .character("x")] { order.press(key) }
    #expect(order.column == .time)
  }
}
