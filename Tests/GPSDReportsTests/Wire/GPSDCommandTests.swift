import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct GPSDCommandTests {
  static let commands: [(String?, String)] = [
    (nil, #"?WATCH={"enable":true,"json":true};"#),
    ("/dev/ttyACM0", #"?WATCH={"enable":true,"json":true,"device":"/dev/ttyACM0"};"#),
    (#"a"};?DEVICE={"b\"#, #"?WATCH={"enable":true,"json":true,"device":"a\"};?DEVICE={\"b\\"};"#),
    (
      "a\r\nb\0\t\u{7F}",
      #"?WATCH={"enable":true,"json":true,"device":"a\u000d\u000ab\u0000\u0009\u007f"};"#
    ),
    ("/dev/é", #"?WATCH={"enable":true,"json":true,"device":"/dev/é"};"#),
  ]

  @Test("F40 a device's name cannot end its string", arguments: commands)
  func watches(device: String?, expected: String) {
    #expect(
      String(decoding: GPSDCommand.watch(device: device).bytes, as: UTF8.self) == expected + "\n")
  }

  @Test("F40 flags are independent of the device's name")
  func flags() {
    let allFlags: GPSDCommand.WatchFlags = [.nmea, .raw, .scaled, .split24, .pps, .timing]
    #expect(
      String(decoding: GPSDCommand.watch(device: #"a"b"#, flags: allFlags).bytes, as: UTF8.self)
        == #"?WATCH={"enable":true,"json":true,"nmea":true,"raw":1,"scaled":true,"split24":true,"#
        + #""pps":true,"timing":true,"device":"a\"b"};"# + "\n")
  }

  @Test("F40 any name round-trips, on one line")
  func readsBack() throws {
    struct Request: Decodable {
      let enable: Bool
      let device: String
    }
    for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) {
      let name = "x\(scalar)\(scalar)y"
      let command = GPSDCommand.watch(device: name).bytes
      #expect(command.filter { $0 == 10 }.count == 1)
      #expect(!command.contains(13))
      let json = Data(command.dropFirst("?WATCH=".utf8.count).dropLast(2))
      let request = try JSONDecoder().decode(Request.self, from: json)
      #expect(request.enable)
      #expect(request.device == name)
    }
  }

  @Test func commandsHaveTheirBytes() {
    #expect(GPSDCommand.unwatch.bytes == Array("?WATCH={\"enable\":false};\n".utf8))
    #expect(GPSDCommand.version.bytes == Array("?VERSION;\n".utf8))
    #expect(GPSDCommand.devices.bytes == Array("?DEVICES;\n".utf8))
  }
}
