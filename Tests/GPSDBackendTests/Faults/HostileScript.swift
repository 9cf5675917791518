import AsyncLocation
import MockBackend

@testable import GPSDBackend

/// One connection with a hostile gpsd, generated from a seed.
enum HostileScript {
  static func make(_ generator: inout SplitMix64) -> [FakeGPSD.Step] {
    var steps: [FakeGPSD.Step] = []
    if Int.random(in: 0..<20, using: &generator) > 0 { steps.append(.send(FakeGPSD.greeting)) }
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      steps.append(step(&generator))
    }
    // A reset ends the connection; otherwise the client's silence timeout ends it.
    let ends: [FakeGPSD.Step] = [.reset, .reset, .vanish, .hold]
    steps.append(ends[Int.random(in: 0..<ends.count, using: &generator)])
    if case .vanish = steps.last { steps.append(.reset) }
    return steps
  }

  private static func step(_ generator: inout SplitMix64) -> FakeGPSD.Step {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: .flood(65_536 * Int.random(in: 1...8, using: &generator))
    case 1: .drip(String(decoding: mutated(&generator), as: UTF8.self))
    case 2: .sendBytes((0..<500).map { _ in UInt8.random(in: 0...255, using: &generator) })
    case 3: .send(String(repeating: "[", count: 3000) + "\n")
    default: .sendBytes((0..<20).flatMap { _ in mutated(&generator) })
    }
  }

  private static let satellites = (1...141).map {
    #"{"PRN":\#($0),"el":\#($0 % 90),"az":\#($0 * 2),"ss":40.5,"used":\#($0 % 2 == 0)}"#
  }

  private static let lines = [
    FakeGPSD.banner, FakeGPSD.watching, FakeGPSD.fix(1), FakeGPSD.fix(2, latitude: 1e300),
    #"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14,"remote":"tcp://a:1"}"#,
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0","bps":4800}]}"#,
    #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":"2026-05-04T03:02:01.125Z"}"#,
    #"{"class":"DEVICE","path":"\u0000","activated":0}"#,
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"#,
    #"{"class":"TPV","mode":3,"lat":91.5,"lon":-190,"track":361,"speed":-1}"#,
    #"{"class":"TPV","mode":3,"time":"2026-99-04T03:02:01.000Z","lat":1.5,"lon":2.5}"#,
    #"{"lat":1.5,"lon":2.5,"mode":3,"class":"TPV"}"#,
    #"{"class":"SKY","satellites":[\#(satellites.joined(separator: ","))]}"#,
    #"{"class":"ATT","device":"a","heading":1e400,"mheading":12}"#,
    #"{"class":"IMU","device":"a","timeTag":12,"acc_x":0.5,"gyro_z":1.5}"#,
    #"{"class":"POLL","active":1,"tpv":[{"class":"TPV","mode":3,"lat":1,"lon":2}],"sky":[]}"#,
    #"{"class":"ERROR","message":"\#(String(repeating: "x", count: 300))"}"#,
    #"{"class":"GST","device":"a","rms":2.4,"major":1.7,"minor":1.1,"orient":69,"lat":1.6}"#,
    #"{"class":"TOFF","device":"a","real_sec":1777863721,"clock_sec":1777863720}"#,
    #"{"class":"PPS","device":"a","real_sec":1777863721,"clock_sec":1777863720,"qErr":-1234}"#,
    #"{"class":"OSC","device":"a","running":true,"reference":true,"delta":67}"#,
    #"{"class":"AIS","device":"a","type":1,"mmsi":244660000,"lon":"5.12","scaled":true}"#,
    #"{"class":"UNHEARD","device":"a"}"#, "HTTP/1.1 200 OK",
  ]

  /// A line with up to four of its bytes changed, doubled or removed.
  private static func mutated(_ generator: inout SplitMix64) -> [UInt8] {
    var bytes = Array(lines[Int.random(in: 0..<lines.count, using: &generator)].utf8)
    for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.insert(bytes[index], at: index)
      default: bytes.remove(at: index)
      }
    }
    return bytes + [13, 10]
  }
}

extension FakeGPSD {
  /// A line that only the correct server sends, as the sign that the hostile one has ended.
  static let end = #"{"class":"TPV","device":"/dev/good","mode":3,"lat":1,"lon":2}"# + "\r\n"
}
