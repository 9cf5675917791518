import AsyncLocation
import FoundationEssentials
import GPSDBackend

/// Operations of gpsd and the network.
extension World {
  func perform(_ operation: Operation.Network) {
    guard let network else { return }
    network.schedule { [self] in perform(operation, on: network) }
  }

  private func perform(_ operation: Operation.Network, on network: SimulatedNetwork) {
    note("gpsd: \(operation)")
    // A subscriber that is added before these reports are emitted may receive them.
    let outer = firstOfBatch
    firstOfBatch = outer ?? emissions.count
    defer { firstOfBatch = outer }
    switch operation {
    case .accept: network.accept()
    case .refuse: network.refuse()
    case .hangUp: network.hangUp()
    case .greet:
      if let connection = network.connection, connection.phase == .open,
        greetedConnection !== connection
      {
        greetedConnection = connection
        reportedEpochs.forget()
      }
      network.receive(
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
          + "\r\n")
    case .garbage: network.receive("{\"class\":\"TPV\",\"mode\":3,\"lat\":[[[\u{7f}\r\n")
    case .stranger: network.receive("HTTP/1.1 400 Bad Request\r\n\r\n")
    case .devices: network.receive(#"{"class":"DEVICES","devices":[]}"# + "\r\n")
    case .complaint: network.receive(#"{"class":"ERROR","message":"no"}"# + "\r\n")
    case .fix: network.receive(fix(at: nextTime))
    case .fixes: network.receive(fix(at: nextTime) + fix(at: nextTime))
    case .halves:
      // The network's thread is busy until it has received both halves, so only other threads can
      // run in between.
      let bytes = fix(at: nextTime)
      let middle = bytes.index(bytes.startIndex, offsetBy: bytes.count / 2)
      network.receive(String(bytes[..<middle]))
      network.receive(String(bytes[middle...]))
    case .cut:
      network.receive(String(fix(at: nextTime, isWhole: false).dropLast(20)))
      network.hangUp()
    case .repeated:
      guard nextTime > 1 else { return }
      network.receive(fix(at: nextTime - 1))
    case .twice:
      for _ in 0..<3 {
        network.receive(first())
        network.receive(fix(at: nextTime - 1, speed: 20))
      }
    case .first: network.receive(first())
    case .second:
      guard nextTime > 1 else { return }
      network.receive(fix(at: nextTime - 1, speed: 20))
    case .lost: network.receive(#"{"class":"TPV","device":"/dev/gnss","mode":1}"# + "\r\n")
    }
  }

  /// Records and returns the first report of an epoch; the second one has a different speed and no
  /// altitude.
  private func first() -> String {
    fix(at: nextTime, altitude: Double(emissions.count), speed: 10)
  }

  /// Records an emission and returns its TPV report. `forwardEvents` decides whether the emission
  /// may be delivered.
  ///
  /// - Parameter isWhole: Whether gpsd sends the whole report; otherwise no epoch is recorded.
  private func fix(
    at time: Double, altitude: Double? = nil, speed: Double? = nil, isWhole: Bool = true
  ) -> String {
    let number = emissions.count
    emissions.append(
      Emission(
        number: number, instant: clock.now.offset, time: time, mayBeDelivered: false))
    nextTime = max(nextTime, time + 1)
    if isWhole, let connection = network?.connection, connection === greetedConnection,
      connection.phase == .open
    {
      reportedEpochs.record(
        number, time: time, altitude: altitude, speed: speed, at: clock.now.offset)
    }
    let members =
      (altitude.map { #""altMSL":\#($0),"# } ?? "") + (speed.map { #""speed":\#($0),"# } ?? "")
    // 800,000,000 s since the reference date is 2026-05-09T06:13:20Z.
    let second = 22_400 + Int(time)
    func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let clockTime = "\(padded(second / 3_600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
    return
      #"{"class":"TPV","device":"/dev/gnss","mode":3,"time":"2026-05-09T\#(clockTime).000Z","#
      + members + #""lat":\#(Double(number) / 10_000),"lon":10.0,"eph":5.0}"# + "\r\n"
  }

  /// Checks the events of `GPSDBackend` and emits them to the manager.
  func forwardEvents(_ events: [BackendEvent], to emit: SimulatedBackend.Emit) {
    let outer = isEmitting
    isEmitting = true
    defer { isEmitting = outer }
    for event in events {
      checkEpochs(at: event)
      switch event {
      case .connection(let state):
        if state.phase == .connected, lastPhase != .connected { sessionIsNew = true }
        lastPhase = state.phase
      case .location(let location):
        guard let number = numbers(of: [event]).first else { continue }
        let time = emissions[number].time
        emissions[number].instant = clock.now.offset
        if let problem = reportedEpochs.deliver(location, time: time, number: number) {
          fail(Violation("46 epochs", problem))
        }
        // During one connection, several reports may share an epoch.
        emissions[number].mayBeDelivered =
          time > minimumNewestTime || (time == minimumNewestTime && !sessionIsNew)
        if time > minimumNewestTime { sessionIsNew = false }
        note("gpsd's \(number) is emitted")
      default: break
      }
    }
    deliver(events, to: emit)
  }
}
