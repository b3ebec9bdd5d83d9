-- The other copy is dropped after it was listed.
drop table temp_sample_07;
