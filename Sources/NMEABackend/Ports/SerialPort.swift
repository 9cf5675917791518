import AsyncLocation
import Dispatch
import LocationTransport

/// A serial port that the event loop reads, and whose blocking calls are made on another thread.
final class SerialPort: SourcePort {
  private enum State {
    case opening
    case open(SerialDevice, DescriptorConnection)
    case closed
  }

  private let path: String
  private let loop: EventLoop
  private let handler: any ConnectionHandler
  private var state = State.opening
  /// The speed to set next; a later one replaces it.
  private var wanted: (speed: SerialSpeed, answer: Answer)?
  private var isSettingSpeed = false

  init(
    _ path: String, _ speed: SerialSpeed, on loop: EventLoop, handler: any ConnectionHandler,
    _ answer: @escaping Answer
  ) {
    (self.path, self.loop, self.handler) = (path, loop, handler)
    loop.call(on: SerialDevice.queue(of: path)) {
      Result { () throws(LocationError) in try SerialDevice(path, speed) }
    } answer: { [self] in
      opened($0, answer)
    }
  }

  private func opened(_ result: Result<SerialDevice, LocationError>, _ answer: Answer) {
    let device: SerialDevice
    switch result {
    case .success(let opened): device = opened
    case .failure(let error):
      if case .opening = state { answer(error) }
      return
    }
    guard case .opening = state else { return close(device) }
    switch loop.read(device.descriptor, .stream, handler: handler) {
    case .success(let connection):
      state = .open(device, connection)
      answer(nil)
    case .failure(let failure):
      close(device)
      answer(.cannotReadPort(path, failure))
    }
  }

  func setSpeed(_ speed: SerialSpeed, _ answer: @escaping Answer) {
    wanted = (speed, answer)
    if !isSettingSpeed { setWantedSpeed() }
  }

  private func setWantedSpeed() {
    guard case .open(let device, _) = state, let (speed, answer) = wanted else { return }
    wanted = nil
    isSettingSpeed = true
    loop.call(on: SerialDevice.queue(of: path)) {
      Result { () throws(LocationError) in try device.setSpeed(speed) }
    } answer: { [self] result in
      isSettingSpeed = false
      guard case .open = state else { return }
      guard wanted == nil else { return setWantedSpeed() }
      if case .failure(let error) = result { answer(error) } else { answer(nil) }
    }
  }

  func close() {
    if case .open(let device, let connection) = state {
      connection.stop()
      close(device)
    }
    (state, wanted) = (.closed, nil)
  }

  private func close(_ device: SerialDevice) {
    SerialDevice.queue(of: path).async { device.close() }
  }
}
