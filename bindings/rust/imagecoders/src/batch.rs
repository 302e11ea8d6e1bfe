// SPDX-License-Identifier: Apache-2.0

use crate::registry::there;
use crate::{Bytes, Cancel, Encoding, Error, Picture, Registry, Request, Result, Source, Status};
use imagecoders_sys as sys;

impl Registry {
    /// Decodes files on as many threads, 0 for one on each processor: a result for each, in their order.
    pub fn decode_all(
        &self,
        sources: &[Source<'_>],
        request: &Request,
        threads: u32,
        cancel: Option<&Cancel>,
    ) -> Vec<Result<Picture>> {
        let mut pixels = vec![sys::ic_pixels::new(); sources.len()];
        let places = pixels.as_mut_ptr();
        let answers = self.batch(sources, request, threads, cancel, |job, index| {
            job.operation = sys::IC_JOB_DECODE;
            // Safety: there is a place for each source.
            job.pixels = unsafe { places.add(index) };
        });
        answers.into_iter().zip(pixels).map(|(answer, raw)| there(Picture::taken(raw, answer?)?)).collect()
    }

    /// Makes thumbnails of files on as many threads, 0 for one on each processor: a result for each, in their order.
    pub fn thumbnail_all(
        &self,
        sources: &[Source<'_>],
        request: &Request,
        encoding: &Encoding,
        threads: u32,
        cancel: Option<&Cancel>,
    ) -> Vec<Result<Bytes>> {
        let encoding = match encoding.prepare() {
            Ok(encoding) => encoding,
            Err(error) => return sources.iter().map(|_| Err(error.clone())).collect(),
        };
        let mut bytes = vec![sys::ic_bytes::new(); sources.len()];
        let places = bytes.as_mut_ptr();
        let answers = self.batch(sources, request, threads, cancel, |job, index| {
            job.operation = sys::IC_JOB_THUMBNAIL;
            job.encoding = &encoding.raw;
            // Safety: there is a place for each source.
            job.bytes = unsafe { places.add(index) };
        });
        answers.into_iter().zip(bytes).map(|(answer, raw)| Ok(Bytes::taken(raw, answer?))).collect()
    }

    /// Runs a job for each source; what each says is an error, or what is missing of a result that is there.
    fn batch(
        &self,
        sources: &[Source<'_>],
        request: &Request,
        threads: u32,
        cancel: Option<&Cancel>,
        mut fill: impl FnMut(&mut sys::ic_job, usize),
    ) -> Vec<Result<Option<Error>>> {
        let request = match request.prepare() {
            Ok(request) => request,
            Err(error) => return sources.iter().map(|_| Err(error.clone())).collect(),
        };
        let prepared: Vec<_> = sources.iter().map(Source::prepare).collect();
        let mut errors = vec![sys::ic_error::new(); sources.len()];
        let places = errors.as_mut_ptr();
        let mut jobs = vec![sys::ic_job::new(); sources.len()];
        for (index, job) in jobs.iter_mut().enumerate() {
            fill(job, index);
            // A source that cannot be told to the library stays null.
            job.source = prepared[index].as_ref().map_or(std::ptr::null(), |source| &source.raw);
            job.request = &request.raw;
            // Safety: there is a place for each source.
            job.error = unsafe { places.add(index) };
        }
        // Safety: all pointers live during the call, and each job has places of its own.
        unsafe {
            let cancel = Cancel::pointer(cancel);
            sys::ic_batch(self.pointer(), jobs.as_mut_ptr(), jobs.len() as u32, threads, cancel)
        }
        let said = jobs.iter().zip(&errors).zip(prepared);
        said.map(|((job, error), source)| {
            source?;
            match (job.status as u32, Error::said(error)) {
                (sys::IC_OK, problem) => Ok(problem),
                (status, said) => Err(said.unwrap_or_else(|| Error::new(Status::new(status), ""))),
            }
        })
        .collect()
    }
}
